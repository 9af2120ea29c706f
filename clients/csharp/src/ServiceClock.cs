using System;

namespace Savepoint
{
    /// <summary>The clock of the device, and that of the service as far as it is known. In milliseconds since 1970.</summary>
    internal sealed class ServiceClock
    {
        private readonly object turn = new object();
        private readonly Func<DateTime> device;
        private long? offsetMs;

        public ServiceClock(Func<DateTime> device)
        {
            this.device = device ?? (() => DateTime.UtcNow);
        }

        public bool IsKnown
        {
            get { lock (turn) return offsetMs != null; }
        }

        public long Device()
        {
            return Times.ToMs(device().ToUniversalTime());
        }

        public long Service()
        {
            lock (turn) return Device() + (offsetMs ?? 0);
        }

        public void Learn(long serverMs)
        {
            lock (turn) offsetMs = serverMs - Device();
        }
    }
}
