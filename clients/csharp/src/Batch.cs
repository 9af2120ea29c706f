using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

namespace Savepoint
{
    /// <summary>
    /// What is sent in one request, unchanged however often it is tried. Its events are numbered from <see cref="First"/> on,
    /// within the installation under whose name it is sent.
    /// </summary>
    internal sealed class Batch
    {
        /// <summary><c>"seq":1234567890,</c> and the comma between events.</summary>
        private const int NumberBytes = 24;

        /// <summary>Installation, number and event.</summary>
        private static readonly Regex Entry = new Regex(@"^(\w+) (\d+) (\{.*)$", RegexOptions.Singleline);

        public string Install;
        public long First;
        /// <summary>Each as JSON, without its number. An event that was damaged is empty, so that those after it keep their numbers.</summary>
        public List<string> Events = new List<string>();
        public long Bytes;
        /// <summary>How often it was sent. Nothing is added to a batch that was sent.</summary>
        public long Tries;
        /// <summary>The run of the game that made it. Only that run adds events to it.</summary>
        public string Run;
        public long Place;

        /// <summary>What an event takes in a request.</summary>
        public static long BytesOf(string text)
        {
            return Encoding.UTF8.GetByteCount(text) + NumberBytes;
        }

        /// <summary>The body of the request.</summary>
        public string Body()
        {
            var body = new StringBuilder("[");
            for (var i = 0; i < Events.Count; i++)
            {
                if (Events[i] == "") continue;
                if (body.Length > 1) body.Append(',');
                body.Append(Events[i], 0, Events[i].Length - 1).Append(",\"seq\":").Append(First + i).Append('}');
            }
            return body.Append(']').ToString();
        }

        public Batch Copy()
        {
            var copy = (Batch)MemberwiseClone();
            copy.Events = new List<string>(Events);
            return copy;
        }

        public void SetEvents(List<string> events)
        {
            Events = events;
            Bytes = Sound().Sum(text => BytesOf(text));
        }

        /// <summary>The events without those that were damaged: what a request holds.</summary>
        public List<string> Sound()
        {
            return Events.Where(text => text != "").ToList();
        }

        /// <summary>The number after its last event.</summary>
        public long EndNumber()
        {
            return First + Events.Count;
        }

        /// <summary>The batch as it is stored. Each event stands in a record of its own with its number, so it can be sent without the others.</summary>
        public string ToText()
        {
            var head = Json.Write(new Dictionary<string, object> { ["tries"] = Tries, ["run"] = Run, ["end"] = EndNumber() });
            var records = new List<string> { head };
            for (var i = 0; i < Events.Count; i++)
            {
                if (Events[i] != "") records.Add(Install + " " + (First + i) + " " + Events[i]);
            }
            return Records.Write(records.ToArray());
        }

        /// <summary>The stored batch without what is damaged; null where no event is left.</summary>
        public static Batch FromText(string text, long place, out bool isDamaged)
        {
            // Without its head, it may have been sent, and by any run.
            var batch = new Batch { Tries = 1, Run = "", Place = place };
            long end = -1;
            foreach (var record in Records.Read(text, out isDamaged))
            {
                var entry = Entry.Match(record);
                if (entry.Success) batch.Restore(entry);
                else
                {
                    var head = Json.TryRead(record);
                    batch.Tries = Json.Integer(head, "tries", 1);
                    batch.Run = Json.Text(head, "run");
                    end = Json.Integer(head, "end", -1);
                }
            }
            isDamaged |= batch.EndNumber() != end;
            batch.SetEvents(batch.Events);
            return batch.Events.Count == 0 ? null : batch;
        }

        private void Restore(Match entry)
        {
            var number = long.Parse(entry.Groups[2].Value, CultureInfo.InvariantCulture);
            if (Events.Count == 0)
            {
                Install = entry.Groups[1].Value;
                First = number;
            }
            while (EndNumber() < number) Events.Add("");
            Events.Add(entry.Groups[3].Value);
        }
    }
}
