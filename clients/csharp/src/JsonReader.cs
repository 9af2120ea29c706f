using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Savepoint
{
    /// <summary>Reads one JSON text.</summary>
    internal sealed class JsonReader
    {
        private readonly string text;
        private readonly int maxDepth;
        private int at;

        public JsonReader(string text, int maxDepth)
        {
            this.text = text;
            this.maxDepth = maxDepth;
        }

        public object ReadAll()
        {
            var value = ReadValue(0);
            SkipSpace();
            if (at != text.Length) throw Unexpected();
            return value;
        }

        private object ReadValue(int depth)
        {
            if (depth > maxDepth) throw new FormatException("The JSON text is nested too deeply.");
            SkipSpace();
            if (at == text.Length) throw Unexpected();
            switch (text[at])
            {
                case '{': return ReadObject(depth);
                case '[': return ReadArray(depth);
                case '"': return ReadString();
                case 't': return ReadWord("true", true);
                case 'f': return ReadWord("false", false);
                case 'n': return ReadWord("null", null);
                default: return ReadNumber();
            }
        }

        private Dictionary<string, object> ReadObject(int depth)
        {
            var members = new Dictionary<string, object>();
            at++;
            SkipSpace();
            if (Skip('}')) return members;
            do
            {
                SkipSpace();
                if (at == text.Length || text[at] != '"') throw Unexpected();
                var name = ReadString();
                SkipSpace();
                Expect(':');
                members[name] = ReadValue(depth + 1);
                SkipSpace();
            }
            while (Skip(','));
            Expect('}');
            return members;
        }

        private List<object> ReadArray(int depth)
        {
            var items = new List<object>();
            at++;
            SkipSpace();
            if (Skip(']')) return items;
            do
            {
                items.Add(ReadValue(depth + 1));
                SkipSpace();
            }
            while (Skip(','));
            Expect(']');
            return items;
        }

        private string ReadString()
        {
            var value = new StringBuilder();
            for (at++; ; at++)
            {
                if (at >= text.Length || text[at] < ' ') throw Unexpected();
                if (text[at] == '"') break;
                if (text[at] == '\\') value.Append(ReadEscape());
                else value.Append(text[at]);
            }
            at++;
            return value.ToString();
        }

        private char ReadEscape()
        {
            at++;
            if (at == text.Length) throw Unexpected();
            switch (text[at])
            {
                case 'n': return '\n';
                case 'r': return '\r';
                case 't': return '\t';
                case 'b': return '\b';
                case 'f': return '\f';
                case '"':
                case '\\':
                case '/': return text[at];
                case 'u':
                    int code;
                    if (at + 4 >= text.Length
                        || !int.TryParse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                        throw Unexpected();
                    at += 4;
                    return (char)code;
                default: throw Unexpected();
            }
        }

        private object ReadNumber()
        {
            var start = at;
            while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at++;
            var number = text.Substring(start, at - start);
            long whole;
            if (long.TryParse(number, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole)) return whole;
            decimal exact;
            if (decimal.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out exact)) return exact;
            double rough;
            if (double.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out rough)) return rough;
            at = start;
            throw Unexpected();
        }

        private object ReadWord(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Unexpected();
            at += word.Length;
            return value;
        }

        private void SkipSpace()
        {
            while (at < text.Length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) at++;
        }

        private bool Skip(char c)
        {
            if (at == text.Length || text[at] != c) return false;
            at++;
            return true;
        }

        private void Expect(char c)
        {
            if (!Skip(c)) throw Unexpected();
        }

        private FormatException Unexpected()
        {
            return new FormatException("This is not JSON, at character " + at + ".");
        }
    }
}
