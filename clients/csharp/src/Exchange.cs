using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>A response of the service, parsed.</summary>
    internal sealed class Reply
    {
        public int Status;
        /// <summary>The body, out of its <c>data</c> wrapper if it had one; null where there is none or it is not JSON.</summary>
        public object Body;
        /// <summary>Whether there was no body at all.</summary>
        public bool IsEmpty;
        public TransportResponse Response;

        /// <summary>The members of an error, which comes in two forms: <c>error</c> is the sentence, or holds code and sentence.</summary>
        public Dictionary<string, object> ErrorDetails()
        {
            var error = Json.Member(Body, "error");
            if (!(error is string)) return Json.AsObject(error);
            return new Dictionary<string, object>(Json.AsObject(Body)) { ["message"] = error };
        }

        /// <summary>Whether it brings a session.</summary>
        public bool IsGrant()
        {
            return Status == 200 && Json.Text(Body, "accessToken") != null;
        }

        /// <summary>Whether the service refuses a token. A 401 without an error of the service is from a proxy in between.</summary>
        public bool IsRefusal()
        {
            return Status == 401 && ErrorDetails() != null;
        }

        /// <summary>A response that is no success, as an error.</summary>
        public SavepointException ToError()
        {
            var details = ErrorDetails();
            var code = Json.Text(details, "code") ?? (details == null ? "response_invalid" : "http_" + Status);
            var message = Json.Text(details, "message") ?? "The response (" + Status + ") is not one of the service.";
            return new SavepointException(code, message)
            {
                Status = Status,
                RetryAfterSeconds = RetryAfter(),
                RequestId = Response.Header("x-request-id"),
            };
        }

        /// <summary>RFC 9110: seconds, or a date.</summary>
        private double? RetryAfter()
        {
            var text = Response.Header("retry-after");
            double seconds;
            if (text == null) return null;
            if (!double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out seconds))
            {
                var at = Times.Parse(text);
                if (at == null) return null;
                seconds = (at.Value - Times.Now()) / 1000.0;
            }
            return seconds >= 0 ? seconds : (double?)null;
        }
    }

    /// <summary>Sends requests to the service.</summary>
    internal sealed class Exchange
    {
        /// <summary>What a request may take. A phone that changes networks leaves connections that never end.</summary>
        private const int TimeoutMs = 30000;

        private static readonly Dictionary<string, string> NoHeaders = new Dictionary<string, string>();
        private readonly string baseUrl;
        private readonly ITransport transport;
        private readonly Action<long> onDate;

        public Exchange(string baseUrl, ITransport transport, Action<long> onDate)
        {
            this.baseUrl = baseUrl;
            this.transport = transport;
            this.onDate = onDate;
        }

        /// <summary><paramref name="end"/> gives up the response.</summary>
        public Task<Reply> PostAsync(
            string path, string body, IDictionary<string, string> headers = null, CancellationToken end = default(CancellationToken))
        {
            return SendAsync("POST", path, body, headers, end);
        }

        /// <summary>Sends a request without a body.</summary>
        public Task<Reply> SendAsync(string method, string path, IDictionary<string, string> headers)
        {
            return SendAsync(method, path, null, headers, CancellationToken.None);
        }

        /// <summary>Posts to any address: the signing endpoint is not part of the service.</summary>
        public async Task<TransportResponse> PostToAsync(string url, string body)
        {
            return await SendAsync(new TransportRequest("POST", url, body, WithJson(NoHeaders)), CancellationToken.None).ConfigureAwait(false);
        }

        /// <exception cref="SavepointException"><c>network_failed</c> where there is no response. A response of any status is returned as a reply.</exception>
        private async Task<Reply> SendAsync(
            string method, string path, string body, IDictionary<string, string> headers, CancellationToken end)
        {
            headers = headers ?? NoHeaders;
            var request = new TransportRequest(method, baseUrl + path, body, body == null ? headers : WithJson(headers));
            var response = await SendAsync(request, end).ConfigureAwait(false);
            var serverMs = Times.Parse(response.Header("date"));
            if (serverMs != null) onDate(serverMs.Value);
            return new Reply
            {
                Status = response.Status,
                Body = Unwrap(Json.TryRead(response.Body)),
                IsEmpty = response.Body.Length == 0,
                Response = response,
            };
        }

        private async Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken end)
        {
            using (var timeout = CancellationTokenSource.CreateLinkedTokenSource(end))
            {
                timeout.CancelAfter(TimeoutMs);
                try
                {
                    return await transport.SendAsync(request, timeout.Token).ConfigureAwait(false);
                }
                catch (Exception cause)
                {
                    throw new SavepointException("network_failed", "The service did not respond.", cause);
                }
            }
        }

        private static Dictionary<string, string> WithJson(IDictionary<string, string> headers)
        {
            return new Dictionary<string, string>(headers) { ["Content-Type"] = "application/json" };
        }

        /// <summary>Success comes in two forms: as it is, or as <c>data</c> beside <c>status</c>.</summary>
        private static object Unwrap(object body)
        {
            var members = Json.AsObject(body);
            return members != null && members.ContainsKey("data") && "success".Equals(Json.Member(body, "status"))
                ? members["data"]
                : body;
        }
    }
}
