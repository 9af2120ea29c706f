using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>
    /// How requests are sent. The default uses <c>HttpClient</c>. Where that does not work, give your own on top of
    /// <c>UnityWebRequest</c>.
    /// </summary>
    /// <example><code>
    /// sealed class UnityTransport : ITransport
    /// {
    ///     public async Task&lt;TransportResponse&gt; SendAsync(TransportRequest request, CancellationToken cancel)
    ///     {
    ///         using (var web = new UnityWebRequest(request.Url, request.Method, new DownloadHandlerBuffer(),
    ///             request.Body == null ? null : new UploadHandlerRaw(Encoding.UTF8.GetBytes(request.Body))))
    ///         {
    ///             foreach (var header in request.Headers) web.SetRequestHeader(header.Key, header.Value);
    ///             await web.SendWebRequest();
    ///             if (web.responseCode == 0) throw new SavepointException("network_failed", web.error);
    ///             return new TransportResponse((int)web.responseCode, web.GetResponseHeaders(), web.downloadHandler.text);
    ///         }
    ///     }
    /// }
    /// </code></example>
    public interface ITransport
    {
        /// <summary>Sends one request. Throws any exception where there is no response. A response of any status is returned.</summary>
        /// <example><code>var response = await transport.SendAsync(request, CancellationToken.None);</code></example>
        Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel);
    }

    /// <summary>A request to send.</summary>
    /// <example><code>var request = new TransportRequest("GET", "https://players.example.com/v1/limits", null, new Dictionary&lt;string, string&gt;());</code></example>
    public sealed class TransportRequest
    {
        /// <summary>Makes one.</summary>
        /// <example><code>var request = new TransportRequest("POST", url, "{}", headers);</code></example>
        public TransportRequest(string method, string url, string body, IDictionary<string, string> headers)
        {
            Method = method;
            Url = url;
            Body = body;
            Headers = headers;
        }

        /// <summary><c>GET</c>, <c>POST</c> or <c>DELETE</c>.</summary>
        /// <example><code>var isRead = request.Method == "GET";</code></example>
        public string Method { get; private set; }

        /// <summary>The whole address.</summary>
        /// <example><code>Debug.Log(request.Url);</code></example>
        public string Url { get; private set; }

        /// <summary>The body as text, to be sent as UTF-8; null where there is none.</summary>
        /// <example><code>var bytes = Encoding.UTF8.GetBytes(request.Body);</code></example>
        public string Body { get; private set; }

        /// <summary>Headers, <c>Content-Type</c> among them.</summary>
        /// <example><code>foreach (var header in request.Headers) web.SetRequestHeader(header.Key, header.Value);</code></example>
        public IDictionary<string, string> Headers { get; private set; }
    }

    /// <summary>A response of any status.</summary>
    /// <example><code>return new TransportResponse(200, headers, "{}");</code></example>
    public sealed class TransportResponse
    {
        private readonly Dictionary<string, string> headers =
            new Dictionary<string, string>(System.StringComparer.OrdinalIgnoreCase);

        /// <summary>Makes one. <paramref name="headers"/> may be null.</summary>
        /// <example><code>return new TransportResponse((int)web.responseCode, web.GetResponseHeaders(), web.downloadHandler.text);</code></example>
        public TransportResponse(int status, IEnumerable<KeyValuePair<string, string>> headers, string body)
        {
            Status = status;
            Body = body ?? "";
            if (headers == null) return;
            foreach (var header in headers) this.headers[header.Key] = header.Value;
        }

        /// <summary>HTTP status.</summary>
        /// <example><code>var isSuccess = response.Status == 200;</code></example>
        public int Status { get; private set; }

        /// <summary>The body as text; empty where there is none.</summary>
        /// <example><code>Debug.Log(response.Body);</code></example>
        public string Body { get; private set; }

        /// <summary>A header by its name in any case; null where there is none.</summary>
        /// <example><code>var etag = response.Header("ETag");</code></example>
        public string Header(string name)
        {
            string value;
            return headers.TryGetValue(name, out value) ? value : null;
        }
    }
}
