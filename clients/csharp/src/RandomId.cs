using System.Security.Cryptography;

namespace Savepoint
{
    /// <summary>Makes unique names.</summary>
    internal static class RandomId
    {
        private const string Letters = "0123456789abcdefghijklmnopqrstuv";

        /// <summary>130 random bits in 26 letters and digits.</summary>
        public static string New()
        {
            var bytes = new byte[26];
            using (var random = RandomNumberGenerator.Create()) random.GetBytes(bytes);
            var letters = new char[bytes.Length];
            for (var i = 0; i < bytes.Length; i++) letters[i] = Letters[bytes[i] & 31];
            return new string(letters);
        }
    }
}
