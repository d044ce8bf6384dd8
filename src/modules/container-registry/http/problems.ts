import { ApiError } from '../../../api/index.ts'

/** The error codes with their status and message (contract 02 R6). */
const codes = {
  UNAUTHORIZED: [401, 'authentication required'],
  DENIED: [403, 'requested access to the resource is denied'],
  UNSUPPORTED: [405, 'The operation is unsupported.'],
  NAME_INVALID: [400, 'invalid repository name'],
  NAME_UNKNOWN: [404, 'repository name not known to registry'],
  TAG_INVALID: [400, 'manifest tag did not match URI'],
  MANIFEST_UNKNOWN: [404, 'manifest unknown'],
  MANIFEST_INVALID: [400, 'manifest invalid'],
  MANIFEST_BLOB_UNKNOWN: [400, 'blob unknown to registry'],
  BLOB_UNKNOWN: [404, 'blob unknown to registry'],
  BLOB_UPLOAD_UNKNOWN: [404, 'blob upload unknown to registry'],
  BLOB_UPLOAD_INVALID: [400, 'blob upload invalid'],
  DIGEST_INVALID: [400, 'provided digest did not match uploaded content'],
  SIZE_INVALID: [400, 'provided length did not match content length'],
  RANGE_INVALID: [416, 'invalid content range'],
  PAGINATION_NUMBER_INVALID: [400, 'invalid number of results requested'],
  TOOMANYREQUESTS: [429, 'too many requests'],
  UNAVAILABLE: [503, 'service unavailable'],
  UNKNOWN: [500, 'unknown error'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RegistryCode = keyof typeof codes

/** An error of the distribution API. Its body is `{"errors":[{"code","message","detail"}]}`. */
export class RegistryProblem extends ApiError {}

type Particulars = {
  /** Replaces the status of the code. */
  status?: number
  /** Replaces the message of the code. */
  message?: string
  /** Omitted when undefined. */
  detail?: unknown
  headers?: Record<string, string>
}

/** An error with a code of contract 02 R6. */
export function registryProblem(code: RegistryCode, particulars: Particulars = {}): RegistryProblem {
  return registryProblems(code, [particulars.detail], particulars)
}

/** One code for several details, such as one for each missing blob. */
export function registryProblems(
  code: RegistryCode,
  details: readonly unknown[],
  { status, message, headers }: Omit<Particulars, 'detail'> = {},
): RegistryProblem {
  const [usualStatus, usualMessage] = codes[code]
  const errors = details.map((detail) => ({ code, message: message ?? usualMessage, detail }))
  return new RegistryProblem(code, status ?? usualStatus, { errors }, headers)
}

/**
 * 400: the body is not a manifest that can be stored.
 * @param place the offending member, such as `layers[3].digest`; undefined when it is the document
 */
export function manifestInvalid(place: string | undefined, reason: string): RegistryProblem {
  return registryProblem('MANIFEST_INVALID', { detail: { place, reason } })
}
