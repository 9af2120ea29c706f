using System;
using System.Collections.Generic;
using System.Linq;

namespace Savepoint
{
    /// <summary>
    /// A text whose damage stays where it is. Each record has a checksum and stands between a start and an end, so whichever byte is
    /// changed, the records before and after it are still found.
    /// </summary>
    internal static class Records
    {
        /// <summary>ASCII's own separator of records, as in RFC 7464. JSON has neither of the two characters.</summary>
        private const char Start = '\u001e';
        private const char End = '\n';

        public static string Write(params string[] records)
        {
            return string.Concat(records.Select(record => Start + Checksum(record) + " " + record + End));
        }

        /// <summary>The records that are sound, in their order. Anything else between them is damage.</summary>
        public static List<string> Read(string text, out bool isDamaged)
        {
            var parts = text.Split(new[] { Start, End }, StringSplitOptions.RemoveEmptyEntries);
            var sound = parts.Where(IsSound).Select(part => part.Substring(9)).ToList();
            isDamaged = sound.Count < parts.Length || text.Length == 0 || text[text.Length - 1] != End;
            return sound;
        }

        private static bool IsSound(string part)
        {
            return part.Length > 9 && part.Substring(0, 9) == Checksum(part.Substring(9)) + " ";
        }

        /// <summary>FNV-1a over UTF-16.</summary>
        private static string Checksum(string record)
        {
            var hash = 0x811c9dc5;
            foreach (var c in record) hash = unchecked((hash ^ c) * 0x01000193);
            return hash.ToString("x8");
        }
    }
}
