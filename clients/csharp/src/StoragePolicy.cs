using System;
using System.Collections.Generic;
using System.Linq;

namespace Savepoint
{
    /// <summary>What is dropped when the storage is full: the oldest ads, then the oldest others, never purchases and refunds.</summary>
    internal static class StoragePolicy
    {
        /// <summary>
        /// Makes room for <paramref name="needed"/> bytes in batches that were never sent, oldest first. The rest is renumbered so
        /// that all dropped numbers are one range, before the first batch: the service limits the number of gaps. A batch may be left empty.
        /// Returns what was dropped.
        /// </summary>
        public static List<string> MakeRoom(IReadOnlyList<Batch> batches, double needed)
        {
            // The numbers of damaged events are gone already.
            var gone = batches.Select(batch => new HashSet<int>(Enumerable.Range(0, batch.Events.Count).Where(i => batch.Events[i] == ""))).ToList();
            var dropped = new List<string>();
            long bytes = 0;
            foreach (var isFirst in new[] { true, false })
            {
                for (var place = 0; place < batches.Count; place++)
                {
                    var events = batches[place].Events;
                    for (var index = 0; index < events.Count && bytes < needed; index++)
                    {
                        if (gone[place].Contains(index) || IsPurchase(events[index]) || (isFirst && !IsAd(events[index]))) continue;
                        gone[place].Add(index);
                        dropped.Add(events[index]);
                        bytes += Batch.BytesOf(events[index]);
                    }
                }
            }

            var shift = 0;
            for (var place = batches.Count - 1; place >= 0; place--)
            {
                var batch = batches[place];
                if (place + 1 < batches.Count && batches[place + 1].Install != batch.Install) shift = 0;
                shift += gone[place].Count;
                if (shift == 0) continue;
                batch.First += shift;
                batch.SetEvents(batch.Events.Where((_, index) => !gone[place].Contains(index)).ToList());
            }
            return dropped;
        }

        private static bool IsAd(string text)
        {
            return StartsWith(text, "Ad_Impression");
        }

        private static bool IsPurchase(string text)
        {
            return StartsWith(text, "Purchase") || StartsWith(text, "Refund");
        }

        private static bool StartsWith(string text, string eventType)
        {
            return text.StartsWith("{\"eventType\":\"" + eventType + "\"", StringComparison.Ordinal);
        }
    }
}
