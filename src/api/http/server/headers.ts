/** Headers that let pages of any origin use the API, which never goes by cookies (contract 00, "CORS"). */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Request-Id, ETag, Retry-After, ' +
    'RateLimit-Limit, RateLimit-Name, RateLimit-Observed, RateLimit-Remaining, RateLimit-Reset, RateLimit-ResetTime, ' +
    'X-Gitlab-Blob-Id, X-Gitlab-Commit-Id, X-Gitlab-Content-Sha256, X-Gitlab-Encoding, X-Gitlab-File-Name, ' +
    'X-Gitlab-File-Path, X-Gitlab-Last-Commit-Id, X-Gitlab-Ref, X-Gitlab-Size',
}

/** The answer to a preflight. */
export function preflightHeaders(requestedHeaders: string | undefined): Record<string, string> {
  return {
    ...corsHeaders,
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': requestedHeaders ?? '*',
    'Access-Control-Max-Age': '7200',
  }
}

/** Headers of every answer (contract 00, "Response headers"). */
export function securityHeaders(externalUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    ...(externalUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=63072000' } : {}),
  }
}
