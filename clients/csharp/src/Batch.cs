using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Savepoint
{
    /// <summary>
    /// What is sent in one request, unchanged however often it is tried. Its events are numbered from <see cref="First"/> without gaps,
    /// within the installation under whose name it is sent.
    /// </summary>
    internal sealed class Batch
    {
        /// <summary><c>"seq":1234567890,</c> and the comma between events.</summary>
        private const int NumberBytes = 24;

        public string Install;
        public long First;
        /// <summary>Each as JSON, without its number.</summary>
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
                if (i > 0) body.Append(',');
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
            Bytes = events.Sum(text => BytesOf(text));
        }

        public string ToJson()
        {
            return Json.Write(new Dictionary<string, object>
            {
                ["install"] = Install,
                ["first"] = First,
                ["events"] = Events,
                ["bytes"] = Bytes,
                ["tries"] = Tries,
                ["run"] = Run,
            });
        }

        /// <summary>Null where the text is no batch: a damaged file must not stop the queue.</summary>
        public static Batch FromJson(string text, long place)
        {
            var kept = Json.TryRead(text);
            if (Json.Text(kept, "install") == null) return null;
            return new Batch
            {
                Install = Json.Text(kept, "install"),
                First = Json.Integer(kept, "first"),
                Events = Json.Items(kept, "events").OfType<string>().ToList(),
                Bytes = Json.Integer(kept, "bytes"),
                Tries = Json.Integer(kept, "tries"),
                Run = Json.Text(kept, "run"),
                Place = place,
            };
        }
    }
}
