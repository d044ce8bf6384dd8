import type { JsonSchema } from './openapi-schemas.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }

/** The ways to send a credential; `security` refers to the keys. */
export const securitySchemes = {
  privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'An access token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token, or one of OAuth.' },
  privateTokenQuery: { type: 'apiKey', in: 'query', name: 'private_token', description: 'An access token.' },
  jobToken: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN', description: 'The token of a running job.' },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'For git: any user name with an access token, or name and password.',
  },
  alertKey: { type: 'http', scheme: 'bearer', description: 'The authorization key of an alert integration.' },
  registryToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of `/jwt/auth`.' },
}

const bodyOfError: JsonSchema = {
  type: 'object',
  description: 'An error. `message` is present except in errors about tokens.',
  properties: {
    message: {
      description: 'A sentence, sentences, or sentences by field.',
      anyOf: [text, { type: 'object', additionalProperties: true }, { type: 'array', items: text }],
    },
    error: { type: 'string', description: 'Of parameter errors, unknown routes, wrong methods and tokens.' },
    error_description: text,
    scope: { type: 'string', description: 'The scopes of which the token needs one.' },
  },
}

/** The schema that all error answers share. */
export const errorSchemas = { ApiError: bodyOfError }

/** Headers that answers refer to. */
export const headers = {
  ETag: { description: 'For `If-None-Match`.', schema: text },
  Link: { description: 'Links to the previous, next, first and last page.', schema: text },
  Location: { description: 'The current address of the resource.', schema: text },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: integer },
  Allow: { description: 'The methods of the path.', schema: text },
  XPage: { description: 'Number of this page.', schema: integer },
  XPerPage: { description: 'Objects per page.', schema: integer },
  XPrevPage: { description: 'Number of the previous page, or empty.', schema: text },
  XNextPage: { description: 'Number of the next page, or empty.', schema: text },
  XTotal: { description: 'Number of objects; left out above 10,000.', schema: integer },
  XTotalPages: { description: 'Number of pages; left out above 10,000 objects.', schema: integer },
}

const headerNames: Record<string, string> = {
  RetryAfter: 'Retry-After',
  XPage: 'X-Page',
  XPerPage: 'X-Per-Page',
  XPrevPage: 'X-Prev-Page',
  XNextPage: 'X-Next-Page',
  XTotal: 'X-Total',
  XTotalPages: 'X-Total-Pages',
}

/** References to shared headers, under the names that go over the wire. */
export function headerReferences(...keys: (keyof typeof headers)[]): Record<string, JsonSchema> {
  return Object.fromEntries(keys.map((key) => [headerNames[key] ?? key, { $ref: `#/components/headers/${key}` }]))
}

/** The headers of a list that comes in pages. */
export const pageHeaderReferences = headerReferences(
  'Link',
  'XPage',
  'XPerPage',
  'XPrevPage',
  'XNextPage',
  'XTotal',
  'XTotalPages',
)

function query(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'query', description, schema }
}

/** Parameters of all lists, and of those with keyset pagination. */
export const parameters = {
  page: query('page', 'Number of the page.', { type: 'integer', minimum: 1, default: 1 }),
  per_page: query('per_page', 'Objects per page.', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  pagination: query('pagination', 'Walks the list by key instead of by number.', { type: 'string', enum: ['keyset'] }),
  cursor: query('cursor', 'Position of a keyset walk, from the `Link` header.', text),
  page_token: query('page_token', 'Position of a keyset walk, from the `Link` header.', text),
}

/** An answer that operations share. Errors have a message, or an example with one. */
type SharedAnswer = [
  name: string,
  description: string,
  message: string | object | null,
  ...headers: (keyof typeof headers)[],
]

/** The answers that operations share, by status (contract 00, "Errors"). */
const byStatus = {
  '301': [
    'MovedPermanently',
    'The project has moved.',
    'This resource has been moved permanently to https://git.example/api/v4/projects/1',
    'Location',
  ],
  '304': ['NotModified', 'The body has not changed since the ETag.', null, 'ETag'],
  '400': [
    'BadRequest',
    'Parameters are missing or wrong.',
    { message: '400 (Bad request) "title" not given', error: 'title is missing' },
  ],
  '401': ['Unauthorized', 'Credentials are missing or invalid.', '401 Unauthorized'],
  '403': ['Forbidden', 'The caller or the token lacks the permission.', '403 Forbidden'],
  '404': ['NotFound', 'The resource does not exist, or the caller may not see it.', '404 Not Found'],
  '405': [
    'MethodNotAllowed',
    'The path does not have this method, or the list not this pagination.',
    { error: '405 Not Allowed', message: '405 Method Not Allowed' },
    'Allow',
  ],
  '409': ['Conflict', 'The resource exists already, or its state does not allow this.', '409 Conflict'],
  '412': ['PreconditionFailed', 'Changed after the time in `If-Unmodified-Since`.', '412 Precondition Failed'],
  '413': ['ContentTooLarge', 'The body is too large.', '413 Request Entity Too Large'],
  '415': [
    'UnsupportedMediaType',
    'The content type is not supported.',
    { error: "The provided content-type 'text/plain' is not supported.", message: '415 Unsupported Media Type' },
  ],
  '422': ['UnprocessableContent', 'The request cannot be carried out.', '422 Unprocessable Entity'],
  '429': ['TooManyRequests', 'Too many requests.', 'Retry later', 'RetryAfter'],
  default: ['UnexpectedError', 'Any other error.', '500 Internal Server Error'],
} satisfies Record<string, SharedAnswer>

function answerObject([name, description, message, ...keys]: SharedAnswer): [name: string, answer: JsonSchema] {
  const example = typeof message === 'string' ? { message } : message
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, example } }
  const headers = keys.length > 0 ? { headers: headerReferences(...keys) } : {}
  return [name, { description, ...headers, ...(example ? { content } : {}) }]
}

export type SharedStatus = keyof typeof byStatus

/** The shared answers by name, for `components`. */
export const responses = Object.fromEntries(
  Object.values(byStatus).map((answer) => answerObject(answer as SharedAnswer)),
)

/** A reference to the shared answer of a status. */
export function responseReference(status: SharedStatus): JsonSchema {
  return { $ref: `#/components/responses/${byStatus[status][0]}` }
}
