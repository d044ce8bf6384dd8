/** A body of an error answer (contract 00, "Error body"). */
export type ErrorBody = { message?: unknown; error?: unknown; [member: string]: unknown }

/**
 * An answer with a status of 300 or above, thrown where it is detected and turned into a response in one place.
 * `code` is stable and goes to the log; the body is what clients see, to the byte.
 */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Record<string, string>

  constructor(code: string, status: number, body: ErrorBody, headers: Record<string, string> = {}) {
    super(`${status} ${code}`)
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** 404 for a resource with a word of its own: `404 {"message":"404 Project Not Found"}`. */
export function notFound(resource?: string): ApiError {
  const message = resource === undefined ? '404 Not Found' : `404 ${resource} Not Found`
  return new ApiError('not_found', 404, { message })
}

/** 404 for a record looked up by its own key inside a visible parent (small f; contract 20 `RNF`). */
export function recordNotFound(): ApiError {
  return new ApiError('record_not_found', 404, { message: '404 Not found' })
}

/** 404 where no route matches (contract 20 `RT`). */
export function routeNotFound(): ApiError {
  return new ApiError('route_not_found', 404, { error: '404 Not Found', message: '404 Not Found' })
}

/** 401 without a reason. */
export function unauthorized(): ApiError {
  return new ApiError('unauthorized', 401, { message: '401 Unauthorized' })
}

/** 401 for a token that was valid once: expired, revoked, or of a kind that is switched off. */
export function invalidToken(description: string): ApiError {
  return new ApiError(
    'invalid_token',
    401,
    { error: 'invalid_token', error_description: description },
    {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  )
}

/** 403, with the reason behind a dash when there is one. */
export function forbidden(reason?: string): ApiError {
  const message = reason === undefined ? '403 Forbidden' : `403 Forbidden - ${reason}`
  return new ApiError('forbidden', 403, { message })
}

/** 403 because the token lacks a scope; `acceptable` lists those that would do. */
export function insufficientScope(acceptable: readonly string[]): ApiError {
  return new ApiError('insufficient_scope', 403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: acceptable.join(' '),
  })
}

/** Any status with exactly this sentence as `message`. */
export function failure(status: number, message: unknown): ApiError {
  return new ApiError(`status_${status}`, status, { message })
}

/** Form D of the bad requests: `400 {"message":"400 Bad request - <reason>"}`. */
export function badRequest(reason: string): ApiError {
  return new ApiError('bad_request', 400, { message: `400 Bad request - ${reason}` })
}

/** Form C: messages of the model rules by field, `{"message":{"email":["is invalid"]}}`. */
export function invalid(fields: Record<string, unknown>): ApiError {
  return new ApiError('invalid', 400, { message: fields })
}

/** 409 with a message of the operation, or the standard one. */
export function conflict(message = '409 Conflict'): ApiError {
  return new ApiError('conflict', 409, { message })
}

/** 400 for a `page_token` that names no element of the list. */
export function invalidPageToken(): ApiError {
  const error = 'Invalid page token'
  return new ApiError('invalid_page_token', 400, { message: `400 Bad request - ${error}`, error })
}

/** 429 of an application limit (contract 00, "Rate limits"). */
export function tooManyRequests(retryAfterSeconds: number, text?: string): ApiError {
  const error = text ?? 'This endpoint has been requested too many times. Try again later.'
  return new ApiError(
    'too_many_requests',
    429,
    { message: { error } },
    { 'Retry-After': String(Math.max(1, retryAfterSeconds)) },
  )
}

/** 301 to the current address of a project; only for GET and HEAD. */
export function movedPermanently(url: string): ApiError {
  return new ApiError(
    'moved_permanently',
    301,
    { message: `This resource has been moved permanently to ${url}` },
    { Location: url },
  )
}

/** 405 for changing a moved project by its old path. */
export function movedNotGet(): ApiError {
  return new ApiError('moved_not_get', 405, { message: 'Non GET methods are not allowed for moved projects' })
}

/** 405 where the path exists and the method does not. */
export function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError(
    'method_not_allowed',
    405,
    { error: '405 Not Allowed', message: '405 Method Not Allowed' },
    { Allow: allowed.join(', ') },
  )
}

/** 412: the object changed after the time that the caller named. */
export function preconditionFailed(): ApiError {
  return new ApiError('precondition_failed', 412, { message: '412 Precondition Failed' })
}

/** 408: the body was not received in time. */
export function requestTimeout(): ApiError {
  return new ApiError('request_timeout', 408, { message: '408 Request Timeout' })
}

/** 413: the body exceeds the limit. */
export function tooLarge(): ApiError {
  return new ApiError('too_large', 413, { message: '413 Request Entity Too Large' })
}

/** 414: the request line exceeds the limit. */
export function uriTooLong(): ApiError {
  return new ApiError('uri_too_long', 414, { message: '414 Request-URI Too Large' })
}

/** 416: no byte of the content is in the requested range. */
export function rangeNotSatisfiable(sizeBytes: number): ApiError {
  const headers = { 'Content-Range': `bytes */${sizeBytes}` }
  return new ApiError('range_not_satisfiable', 416, { message: '416 Range Not Satisfiable' }, headers)
}

/** 507: the disk or the object store is full. */
export function insufficientStorage(): ApiError {
  return new ApiError('insufficient_storage', 507, { message: '507 Insufficient Storage' })
}

/** 415: the content type is not supported. */
export function unsupportedMediaType(type: string): ApiError {
  return new ApiError('unsupported_media_type', 415, {
    error: `The provided content-type '${type}' is not supported.`,
    message: '415 Unsupported Media Type',
  })
}

/**
 * 400: the body does not match its content type.
 * @param sentence replaces the standard text, for operations with a text of their own
 */
export function malformedBody(sentence?: string): ApiError {
  return new ApiError('malformed_body', 400, {
    error: sentence ?? 'message body does not match declared format',
    message: sentence ?? '400 Bad request - message body does not match declared format',
  })
}

/** 500: a defect; the body has no detail. */
export function internalError(): ApiError {
  return new ApiError('internal', 500, { message: '500 Internal Server Error' })
}

/** 503 for overload, maintenance and startup; clients should retry after that many seconds. */
export function unavailable(retryAfterSeconds = 30): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) }
  return new ApiError('unavailable', 503, { message: '503 Service Unavailable' }, headers)
}

/** 503 while the instance is in maintenance (contract 20 R18). @param sentence of the administrators */
export function inMaintenance(sentence: string): ApiError {
  return new ApiError('maintenance', 503, { message: sentence }, { 'Retry-After': '300' })
}
