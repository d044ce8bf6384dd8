import { ApiError, badRequest, failure } from '../../../api/index.ts'

/** What clients of packages look for before they send their password (contract 23, E401). */
const challenge = 'Basic realm="GitLab Packages Registry"'

/** 401 on the routes of package clients (E401). */
export const authenticationRequired = () =>
  new ApiError('unauthorized', 401, { message: '401 Unauthorized' }, { 'WWW-Authenticate': challenge })

/** 403: a rule protects the package from the caller (EPROT). */
export const packageProtected = () => failure(403, '403 Forbidden - Package protected.')

/** 403: a rule protects the package from deletion (EDELPROT). */
export const deletionProtected = () => failure(403, '403 Forbidden - Package is deletion protected.')

/** 400: the file is larger than the plan allows (EBIG). */
export const fileTooLarge = () => badRequest('File is too large')

/** 400: the group allows no second file of this name (R5). */
export const duplicateRefused = () => badRequest('Duplicate package is not allowed')
