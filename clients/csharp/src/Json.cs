using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Savepoint
{
    /// <summary>
    /// JSON, as far as this client needs it. Objects are read as <c>Dictionary&lt;string, object&gt;</c>, arrays as
    /// <c>List&lt;object&gt;</c>, whole numbers as <c>long</c>, others as <c>decimal</c> where they fit (prices stay exact), else as
    /// <c>double</c>.
    /// </summary>
    internal static class Json
    {
        /// <summary>Deeper than the service takes, and shallow enough for the stack of any thread.</summary>
        private const int MaxDepth = 64;

        /// <exception cref="FormatException">The value cannot be written as JSON.</exception>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Write(text, value, 0);
            return text.ToString();
        }

        /// <exception cref="FormatException">The text is not JSON.</exception>
        public static object Read(string text)
        {
            return new JsonReader(text, MaxDepth).ReadAll();
        }

        /// <summary>Null where the text is not JSON.</summary>
        public static object TryRead(string text)
        {
            try
            {
                return Read(text);
            }
            catch (FormatException)
            {
                return null;
            }
        }

        public static Dictionary<string, object> AsObject(object value)
        {
            return value as Dictionary<string, object>;
        }

        public static object Member(object value, string name)
        {
            var members = AsObject(value);
            object member;
            return members != null && members.TryGetValue(name, out member) ? member : null;
        }

        public static string Text(object value, string name)
        {
            return Member(value, name) as string;
        }

        public static long Integer(object value, string name, long otherwise = 0)
        {
            var member = Member(value, name);
            return member is long ? (long)member : member is decimal ? (long)(decimal)member : otherwise;
        }

        public static decimal Number(object value, string name)
        {
            var member = Member(value, name);
            if (member is long) return (long)member;
            if (member is double) return SafeDecimal((double)member);
            return member is decimal ? (decimal)member : 0;
        }

        public static bool Flag(object value, string name)
        {
            return Member(value, name) is bool && (bool)Member(value, name);
        }

        public static List<object> Items(object value, string name)
        {
            return Member(value, name) as List<object> ?? new List<object>();
        }

        private static decimal SafeDecimal(double value)
        {
            try
            {
                return (decimal)value;
            }
            catch (OverflowException)
            {
                return 0;
            }
        }

        private static void Write(StringBuilder text, object value, int depth)
        {
            if (depth > MaxDepth) throw new FormatException("The value is nested too deeply, or contains itself.");
            if (value == null) text.Append("null");
            else if (value is string) WriteString(text, (string)value);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is char) WriteString(text, value.ToString());
            else if (value is double) WriteDouble(text, (double)value);
            else if (value is float) WriteFloat(text, (float)value);
            else if (value is Enum) WriteString(text, value.ToString());
            else if (value is DateTime) WriteString(text, Times.Format(((DateTime)value).ToUniversalTime()));
            else if (value is DateTimeOffset) WriteString(text, Times.Format(((DateTimeOffset)value).UtcDateTime));
            else if (value is Guid) WriteString(text, value.ToString());
            else if (IsNumber(value)) text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is IDictionary) WriteObject(text, (IDictionary)value, depth);
            else if (value is IReadOnlyDictionary<string, object>) WritePairs(text, (IReadOnlyDictionary<string, object>)value, depth);
            else if (value is IEnumerable) WriteArray(text, (IEnumerable)value, depth);
            else throw new FormatException("A " + value.GetType().Name + " cannot be written as JSON.");
        }

        private static bool IsNumber(object value)
        {
            return value is int || value is long || value is decimal || value is uint || value is ulong || value is short
                || value is ushort || value is byte || value is sbyte;
        }

        private static void WriteDouble(StringBuilder text, double value)
        {
            if (double.IsNaN(value) || double.IsInfinity(value)) throw new FormatException("A number is not finite.");
            text.Append(value.ToString("R", CultureInfo.InvariantCulture));
        }

        private static void WriteFloat(StringBuilder text, float value)
        {
            if (float.IsNaN(value) || float.IsInfinity(value)) throw new FormatException("A number is not finite.");
            text.Append(value.ToString("R", CultureInfo.InvariantCulture));
        }

        private static void WriteObject(StringBuilder text, IDictionary members, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (DictionaryEntry member in members)
            {
                if (!(member.Key is string)) throw new FormatException("The keys of an object must be strings.");
                WriteMember(text, (string)member.Key, member.Value, depth, ref isFirst);
            }
            text.Append('}');
        }

        private static void WritePairs(StringBuilder text, IReadOnlyDictionary<string, object> members, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (var member in members) WriteMember(text, member.Key, member.Value, depth, ref isFirst);
            text.Append('}');
        }

        private static void WriteMember(StringBuilder text, string name, object value, int depth, ref bool isFirst)
        {
            if (!isFirst) text.Append(',');
            isFirst = false;
            WriteString(text, name);
            text.Append(':');
            Write(text, value, depth + 1);
        }

        private static void WriteArray(StringBuilder text, IEnumerable items, int depth)
        {
            text.Append('[');
            var isFirst = true;
            foreach (var item in items)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                Write(text, item, depth + 1);
            }
            text.Append(']');
        }

        private static void WriteString(StringBuilder text, string value)
        {
            text.Append('"');
            for (var i = 0; i < value.Length; i++)
            {
                var c = value[i];
                if (c == '"' || c == '\\') text.Append('\\').Append(c);
                else if (c == '\n') text.Append("\\n");
                else if (c == '\r') text.Append("\\r");
                else if (c == '\t') text.Append("\\t");
                // Half of a pair cannot be sent as UTF-8. Escaped, the service says what is wrong with it.
                else if (c < ' ' || IsHalf(value, i)) text.Append("\\u").Append(((int)c).ToString("x4"));
                else text.Append(c);
            }
            text.Append('"');
        }

        private static bool IsHalf(string value, int i)
        {
            if (char.IsHighSurrogate(value[i])) return i + 1 == value.Length || !char.IsLowSurrogate(value[i + 1]);
            return char.IsLowSurrogate(value[i]) && (i == 0 || !char.IsHighSurrogate(value[i - 1]));
        }
    }
}
