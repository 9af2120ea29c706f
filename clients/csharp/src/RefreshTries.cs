using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// Sends a refresh until there is a response. A refresh without a response may have happened, and the service takes the same token
    /// again for a short time only. So it is sent again: at once if it fails, and while it is slow. All tries get the same successor, so
    /// the first response is as good as any. The other tries are ended then, as one that arrives too late would end the session.
    /// </summary>
    internal sealed class RefreshTries
    {
        /// <summary>After this long without a response a refresh is sent again. The tries before it stay open.</summary>
        private const int SlowMs = 8000;
        /// <summary>No further try joins them later than this: the service takes a refresh token again for 30 s, and a try may arrive late.</summary>
        private const int LastTryMs = 20000;
        private const double RetrySeconds = 3;

        private static readonly Task Never = new TaskCompletionSource<bool>().Task;
        private readonly Random random = new Random();
        private readonly Exchange exchange;
        private readonly Func<bool> isStopped;

        public RefreshTries(Exchange exchange, Func<bool> isStopped)
        {
            this.exchange = exchange;
            this.isStopped = isStopped;
        }

        /// <summary>When to try again after an error. A part is random, so that clients that failed together do not come back together.</summary>
        public int RetryMs(SavepointException error)
        {
            var seconds = Math.Min(error.RetryAfterSeconds ?? RetrySeconds, 1000000);
            lock (random) return (int)((seconds + random.NextDouble()) * 1000);
        }

        /// <summary>The first response that grants a session or refuses the token.</summary>
        /// <exception cref="SavepointException">What the last try failed with.</exception>
        public async Task<Reply> SendAsync(string refreshToken)
        {
            var body = Json.Write(new Dictionary<string, object> { ["refreshToken"] = refreshToken });
            var watch = Stopwatch.StartNew();
            var open = new List<Task<Reply>>();
            using (var end = new CancellationTokenSource())
            {
                try
                {
                    var sent = 0;
                    for (var next = Task.CompletedTask; ;)
                    {
                        if (next.IsCompleted)
                        {
                            open.Add(exchange.PostAsync("/auth/refresh", body, null, end.Token));
                            sent++;
                            next = After(SlowMs, watch, end.Token);
                        }
                        await Task.WhenAny(open.Concat<Task>(new[] { next })).ConfigureAwait(false);
                        var ended = open.Find(it => it.IsCompleted);
                        if (ended == null) continue;
                        open.Remove(ended);
                        SavepointException failure;
                        try
                        {
                            var reply = await ended.ConfigureAwait(false);
                            if (reply.IsRefusal() || reply.IsGrant()) return reply;
                            failure = reply.ToError();
                        }
                        catch (SavepointException error)
                        {
                            failure = error;
                        }
                        if (sent == 1 && failure.Code == "network_failed") next = Task.CompletedTask;
                        else if (open.Count > 0) next = After(RetryMs(failure), watch, end.Token);
                        else throw failure;
                    }
                }
                finally
                {
                    foreach (var left in open) Ignore(left);
                    end.Cancel();
                }
            }
        }

        /// <summary>Nothing waits for the task: an exception that nothing looks at would be reported as unobserved.</summary>
        public static void Ignore(Task task)
        {
            task.ContinueWith(it => it.Exception, TaskContinuationOptions.OnlyOnFaulted);
        }

        private Task After(int ms, Stopwatch watch, CancellationToken end)
        {
            return isStopped() || watch.ElapsedMilliseconds + ms >= LastTryMs ? Never : Task.Delay(ms, end);
        }
    }
}
