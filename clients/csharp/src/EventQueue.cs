using System;
using System.Collections.Generic;
using System.Linq;

namespace Savepoint
{
    /// <summary>What the service said about a batch. Good events are those that it did not reject.</summary>
    internal sealed class Settlement
    {
        public long? Accepted;
        public long? Duplicates;
        public List<string> Good = new List<string>();
    }

    /// <summary>
    /// The queue of events. An event is numbered in the change that stores it.
    ///
    /// A copy of the storage (a backup restored on a second phone) would use the same numbers for other events, and the service would
    /// take those for duplicates. So a copy has to start a new installation (<c>install</c>). A copy is noticed by the device it is on
    /// (<c>identity</c>), by the session that both copies try to refresh (<see cref="StartInstall"/>), or by numbers that were taken
    /// before they were ever sent (<see cref="Settle"/>). The last happens only while both copies are in use. Two batches may be lost
    /// then, because a network that delivers a request twice looks the same, and such a request must not count twice. Batches from before the
    /// start keep their names: both copies have them, and they count once.
    ///
    /// Which numbers were given is not known for certain where the state is damaged or older than the batches beside it. Then a new installation
    /// is started, too. So it is for events that the store has refused (<see cref="Detach"/>): the next run does not know their numbers.
    /// </summary>
    internal sealed class EventQueue
    {
        /// <summary>The service takes 256 gaps an installation; after this many a new one is started.</summary>
        private const int MaxGaps = 200;
        /// <summary>One such batch may have been delivered twice by the network; two in a row are another copy's numbers.</summary>
        private const int MaxSuspicions = 2;

        private readonly object turn = new object();
        private readonly string run = RandomId.New();
        private readonly Keeper keeper;
        private readonly int maxEvents;
        private readonly long maxBytes;
        private readonly long maxStoredBytes;
        private readonly string identity;
        private readonly Action<IReadOnlyList<string>> onDropped;

        /// <summary>Null until the storage was read.</summary>
        private QueueState state;
        private readonly SortedDictionary<long, Batch> batches = new SortedDictionary<long, Batch>();
        private readonly Dictionary<string, string> changes = new Dictionary<string, string>();
        /// <summary>The installation in the store, and its next number: what the next run would go on with.</summary>
        private string storedInstall;
        private long storedNext;

        public EventQueue(Keeper keeper, SavepointOptions options, Action<IReadOnlyList<string>> onDropped)
        {
            this.keeper = keeper;
            this.onDropped = onDropped;
            maxEvents = options.BatchEvents;
            maxBytes = options.BatchBytes;
            maxStoredBytes = options.MaxStoredBytes;
            identity = options.StorageIdentity;
        }

        /// <summary>Numbers and stores events. Says whether a batch is full.</summary>
        public bool Add(IEnumerable<string> events)
        {
            var dropped = new List<string>();
            var isFull = Change(() =>
            {
                var full = Append(events);
                if (state.Bytes > maxStoredBytes) dropped = DropSome();
                return full;
            });
            if (dropped.Count > 0) onDropped(dropped);
            return isFull;
        }

        /// <summary>The oldest batch, marked as sent; null where nothing waits.</summary>
        public Batch Take()
        {
            return Change(() =>
            {
                Detach();
                foreach (var batch in batches.Values)
                {
                    batch.Tries++;
                    Keep(batch);
                    return batch.Copy();
                }
                return null;
            });
        }

        /// <summary>Undoes <see cref="Take"/>: the service has not processed the batch.</summary>
        public void Release(Batch taken)
        {
            Change(() =>
            {
                Batch batch;
                if (!batches.TryGetValue(taken.Place, out batch)) return false;
                batch.Tries--;
                Keep(batch);
                return true;
            });
        }

        /// <summary>Forgets a batch that the service has responded to.</summary>
        public void Settle(Batch taken, Settlement settlement)
        {
            Change(() =>
            {
                Batch batch;
                if (!batches.TryGetValue(taken.Place, out batch)) return false;
                Forget(batch);
                var accepted = settlement.Accepted ?? 0;
                var duplicates = settlement.Duplicates ?? 0;
                // Only a batch that was sent once, and by this run, shows whose numbers were taken.
                var isOurs = batch.Tries == 1 && batch.Run == run;
                if (!isOurs || duplicates == 0)
                {
                    if (accepted > 0) state.Suspicions = 0;
                }
                else if (accepted > 0)
                {
                    // A copy has used these numbers. The service takes a request as a whole or not at all: where some of its events were
                    // accepted, the others are no second delivery of this request. A copy sends in order, too, so it had the first numbers.
                    batch.SetEvents(settlement.Good.Take((int)duplicates).ToList());
                    batch.Tries = 0;
                    batches[batch.Place] = batch;
                    state.Head = batches.Keys.First();
                    state.Bytes += batch.Bytes;
                    Rename(batch.Place);
                }
                else if (++state.Suspicions >= MaxSuspicions) Rename(state.End);
                return true;
            });
        }

        /// <summary>The storage may be a copy: starts a new installation, once for each session that was refused.</summary>
        public void StartInstall(string refusedSession)
        {
            Change(() =>
            {
                if (state.Refused == refusedSession) return false;
                state.Refused = refusedSession;
                Rename(state.UncheckedFrom ?? state.End);
                return true;
            });
        }

        /// <summary>The storage is no copy, as far as the client can know.</summary>
        public void Trust()
        {
            Change(() =>
            {
                state.UncheckedFrom = null;
                return true;
            });
        }

        /// <summary>Forgets all events, and starts a new installation: the player of these is gone.</summary>
        public void Clear()
        {
            Change(() =>
            {
                foreach (var batch in batches.Values.ToList()) Forget(batch);
                Rename(state.End);
                return true;
            });
        }

        public bool IsEmpty()
        {
            lock (turn)
            {
                Load();
                return batches.Count == 0;
            }
        }

        private T Change<T>(Func<T> work)
        {
            lock (turn)
            {
                Load();
                var result = work();
                Keeper.Put(changes, "queue", state.ToJson());
                if (keeper.Apply(changes))
                {
                    storedInstall = state.Install;
                    storedNext = state.Next;
                }
                changes.Clear();
                return result;
            }
        }

        private void Load()
        {
            if (state != null) return;
            bool isDamaged;
            var kept = QueueState.From(keeper.ReadValue("queue", out isDamaged));
            state = kept ?? new QueueState { Install = RandomId.New(), Next = 1 };
            storedInstall = state.Install;
            storedNext = state.Next;
            for (var place = state.Head; place < state.End; place++) LoadBatch(place);
            // Batches that the state does not know, because a change was interrupted.
            while (LoadBatch(state.End)) state.End++;
            state.Bytes = batches.Values.Sum(batch => batch.Bytes);
            var isOld = batches.Values.Any(batch => batch.Install == state.Install && batch.EndNumber() > state.Next);
            if (kept != null) state.UncheckedFrom = state.UncheckedFrom ?? state.End;
            var isElsewhere = identity != null && state.Identity != null && identity != state.Identity;
            if (isDamaged || isOld || isElsewhere) Rename(state.End);
            state.Identity = identity ?? state.Identity;
        }

        /// <summary>Says whether there is such a batch.</summary>
        private bool LoadBatch(long place)
        {
            var text = keeper.Read(NameOf(place));
            if (text == null) return false;
            bool isDamaged;
            var batch = Batch.FromText(text, place, out isDamaged);
            if (batch != null) batches[place] = batch;
            if (isDamaged)
            {
                // Only the sound part is stored from now on, so the damage is reported once.
                keeper.ReportDamage(NameOf(place));
                changes[NameOf(place)] = batch == null ? null : batch.ToText();
            }
            return batch != null;
        }

        /// <summary>
        /// Moves events that the store has not taken to a new installation, before they are sent: the next run would give their numbers to
        /// other events.
        /// </summary>
        private void Detach()
        {
            var refused = new List<string>();
            foreach (var batch in batches.Values.Where(batch => batch.Install == storedInstall && batch.EndNumber() > storedNext).ToList())
            {
                var count = (int)Math.Max(0, storedNext - batch.First);
                refused.AddRange(batch.Events.Skip(count));
                Forget(batch);
                if (count == 0) continue;
                batch.SetEvents(batch.Events.Take(count).ToList());
                batches[batch.Place] = batch;
                state.Bytes += batch.Bytes;
                state.Head = batches.Keys.First();
                Keep(batch);
            }
            if (refused.Count == 0) return;
            Rename(state.End);
            Append(refused);
        }

        private bool Append(IEnumerable<string> events)
        {
            Batch tail;
            batches.TryGetValue(state.End - 1, out tail);
            if (tail != null && (tail.Run != run || tail.Tries > 0 || tail.Install != state.Install)) tail = null;
            var isFull = false;
            foreach (var text in events)
            {
                var bytes = Batch.BytesOf(text);
                if (tail != null && (tail.Events.Count >= maxEvents || tail.Bytes + bytes > maxBytes)) tail = null;
                if (tail == null)
                {
                    tail = new Batch { Install = state.Install, First = state.Next, Run = run, Place = state.End++ };
                    batches[tail.Place] = tail;
                }
                tail.Events.Add(text);
                tail.Bytes += bytes;
                state.Next++;
                state.Bytes += bytes;
                isFull |= tail.Events.Count >= maxEvents || tail.Bytes + bytes > maxBytes;
                Keep(tail);
            }
            return isFull;
        }

        /// <summary>
        /// Starts an installation. Batches from <paramref name="from"/> on move to it. Batches that were sent stay, and so do those before them:
        /// a number that is missing in between would look like a lost event.
        /// </summary>
        private void Rename(long from)
        {
            state.Install = RandomId.New();
            state.Next = 1;
            state.Gaps = state.Suspicions = 0;
            state.UncheckedFrom = null;
            var moving = new List<Batch>();
            foreach (var batch in batches.Values.Where(batch => batch.Place >= from))
            {
                if (batch.Tries > 0) moving.Clear();
                else moving.Add(batch);
            }
            foreach (var batch in moving)
            {
                batch.Install = state.Install;
                batch.First = state.Next;
                batch.SetEvents(batch.Sound());
                state.Next += batch.Events.Count;
                Keep(batch);
            }
        }

        private List<string> DropSome()
        {
            var unsent = batches.Values.Where(batch => batch.Tries == 0).ToList();
            var before = unsent.Sum(batch => batch.Bytes);
            var dropped = StoragePolicy.MakeRoom(unsent, state.Bytes - maxStoredBytes * 0.9);
            state.Bytes -= before - unsent.Sum(batch => batch.Bytes);
            foreach (var batch in unsent)
            {
                if (batch.Events.Count == 0) Forget(batch);
                else Keep(batch);
            }
            if (dropped.Count > 0 && ++state.Gaps > MaxGaps) Rename(state.End);
            return dropped;
        }

        private void Keep(Batch batch)
        {
            changes[NameOf(batch.Place)] = batch.ToText();
        }

        private void Forget(Batch batch)
        {
            batches.Remove(batch.Place);
            changes[NameOf(batch.Place)] = null;
            state.Bytes -= batch.Bytes;
            state.Head = batches.Count == 0 ? state.End : batches.Keys.First();
        }

        private static string NameOf(long place)
        {
            return "batch-" + place;
        }
    }
}
