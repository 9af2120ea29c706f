using System.Collections.Generic;

namespace Savepoint
{
    /// <summary>The batches <see cref="Head"/> to <see cref="End"/> − 1 wait, apart from those that were emptied.</summary>
    internal sealed class QueueState
    {
        public string Install;
        /// <summary>The number of the next event.</summary>
        public long Next;
        public long Head;
        public long End;
        public long Bytes;
        /// <summary>How often events of this installation were dropped, each time leaving a gap in its numbers.</summary>
        public long Gaps;
        /// <summary>Batches in a row whose numbers were all taken, though they were never sent before.</summary>
        public long Suspicions;
        /// <summary>From this batch on, events were tracked while it was not known whether the storage is a copy.</summary>
        public long? UncheckedFrom;
        /// <summary>The session that was refused last.</summary>
        public string Refused;
        /// <summary>Of the device, where it is known.</summary>
        public string Identity;

        public string ToJson()
        {
            return Json.Write(new Dictionary<string, object>
            {
                ["install"] = Install,
                ["next"] = Next,
                ["head"] = Head,
                ["end"] = End,
                ["bytes"] = Bytes,
                ["gaps"] = Gaps,
                ["suspicions"] = Suspicions,
                ["uncheckedFrom"] = UncheckedFrom,
                ["refused"] = Refused,
                ["identity"] = Identity,
            });
        }

        /// <summary>Null where there is none, or it is damaged: then a new installation is started.</summary>
        public static QueueState From(object kept)
        {
            if (Json.Text(kept, "install") == null) return null;
            return new QueueState
            {
                Install = Json.Text(kept, "install"),
                Next = Json.Integer(kept, "next", 1),
                Head = Json.Integer(kept, "head"),
                End = Json.Integer(kept, "end"),
                Bytes = Json.Integer(kept, "bytes"),
                Gaps = Json.Integer(kept, "gaps"),
                Suspicions = Json.Integer(kept, "suspicions"),
                UncheckedFrom = Json.Member(kept, "uncheckedFrom") is long ? Json.Integer(kept, "uncheckedFrom") : (long?)null,
                Refused = Json.Text(kept, "refused"),
                Identity = Json.Text(kept, "identity"),
            };
        }
    }
}
