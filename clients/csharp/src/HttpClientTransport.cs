using System.Collections.Generic;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Savepoint
{
    /// <summary>Sends requests with <c>HttpClient</c>. This is the default.</summary>
    /// <example><code>options.Transport = new HttpClientTransport(new HttpClient(myHandler));</code></example>
    public sealed class HttpClientTransport : ITransport
    {
        private readonly HttpClient client;

        /// <summary>Uses <paramref name="client"/>, or one of its own.</summary>
        /// <example><code>var transport = new HttpClientTransport();</code></example>
        public HttpClientTransport(HttpClient client = null)
        {
            this.client = client ?? new HttpClient();
            // Otherwise a POST waits for a 100 Continue before it sends its body.
            this.client.DefaultRequestHeaders.ExpectContinue = false;
        }

        /// <inheritdoc/>
        /// <example><code>var response = await transport.SendAsync(request, CancellationToken.None);</code></example>
        public async Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            using (var message = new HttpRequestMessage(new HttpMethod(request.Method), request.Url))
            {
                if (request.Body != null) message.Content = new StringContent(request.Body, Encoding.UTF8, "application/json");
                foreach (var header in request.Headers)
                {
                    if (header.Key != "Content-Type") message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                }
                using (var response = await client.SendAsync(message, cancel).ConfigureAwait(false))
                {
                    var body = response.Content == null ? "" : await response.Content.ReadAsStringAsync().ConfigureAwait(false);
                    return new TransportResponse((int)response.StatusCode, HeadersOf(response), body);
                }
            }
        }

        private static List<KeyValuePair<string, string>> HeadersOf(HttpResponseMessage response)
        {
            var headers = new List<KeyValuePair<string, string>>();
            foreach (var header in response.Headers)
                headers.Add(new KeyValuePair<string, string>(header.Key, string.Join(", ", header.Value)));
            return headers;
        }
    }
}
