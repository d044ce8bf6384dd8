import { ApiError, type ErrorBody } from '../../api/index.ts'

/** An answer of the LFS service that is none of success; where help is to be found is added where it is sent. */
export class LfsProblem extends ApiError {}

function problem(code: string, status: number, message: string, more: ErrorBody = {}): LfsProblem {
  return new LfsProblem(code, status, { ...more, message })
}

/** 404: nothing there, or nothing that the caller may see. */
export const lfsNotFound = (message = 'Not found.') => problem('not_found', 404, message)

/** 403: seen, but not to be done. */
export const lfsForbidden = (message = 'Access forbidden. Check your access level.') =>
  problem('forbidden', 403, message)

/** 501: switched off. */
export const lfsDisabled = () =>
  problem('lfs_disabled', 501, 'Git LFS is not enabled on this GitLab server, contact your admin.')

/** 400: the bytes are not those that were named. */
export const lfsMismatch = () => problem('lfs_mismatch', 400, 'SHA256 or size mismatch')

/** 400: the request is not what a client sends. */
export const lfsBadRequest = (message: string) => problem('bad_request', 400, message)

/** 409: the lock that is there is told. */
export const lfsLocked = (lock: unknown) => problem('conflict', 409, 'already locked', { lock })

export const lfsProblem = problem
