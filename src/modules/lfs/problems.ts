import { ApiError, type ErrorBody } from '../../api/index.ts'

/** An error of the LFS service. `documentation_url` is added when it is sent. */
export class LfsProblem extends ApiError {}

export function lfsProblem(code: string, status: number, message: string, more: ErrorBody = {}): LfsProblem {
  return new LfsProblem(code, status, { ...more, message })
}

/** 404: not found, or not visible to the caller. */
export const lfsNotFound = (message = 'Not found.') => lfsProblem('not_found', 404, message)

/** 403: visible, but not allowed. */
export const lfsForbidden = (message = 'Access forbidden. Check your access level.') =>
  lfsProblem('forbidden', 403, message)

/** 501: LFS is disabled. */
export const lfsDisabled = () =>
  lfsProblem('lfs_disabled', 501, 'Git LFS is not enabled on this GitLab server, contact your admin.')

/** 400: the content has another digest or size than announced. */
export const lfsMismatch = () => lfsProblem('lfs_mismatch', 400, 'SHA256 or size mismatch')

/** 400: malformed request. */
export const lfsBadRequest = (message: string) => lfsProblem('bad_request', 400, message)

/** 409 with the existing lock. */
export const lfsLocked = (lock: unknown) => lfsProblem('conflict', 409, 'already locked', { lock })
