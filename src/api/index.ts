export * from './actor.ts'
export { type Authenticator, authenticate, type PresentedToken, presentedToken } from './authentication.ts'
export { type CaptchaService, checkSpam, type SpamLog } from './captcha.ts'
export { type Connections, watchConnections } from './connections.ts'
export { contentDisposition } from './content-disposition.ts'
export { dayAfter, dayOf, parseDate, parseDateTime } from './dates.ts'
export { createDocs } from './docs.ts'
export * from './errors.ts'
export { weakEtag } from './etag.ts'
export type { UploadedFile } from './multipart.ts'
export { parseNestedParameters } from './nested-parameters.ts'
export { openapiOperation } from './openapi.ts'
export { type Context, type Method, type Operation, operation, operationsOf, requireUnmodified } from './operation.ts'
export {
  cursorFor,
  type KeysetRequest,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
  pageOfList,
} from './pagination.ts'
export { atLeastOneMissing, mutuallyExclusive, parameterError, parameterErrors } from './parameter-errors.ts'
export { type Param, type ParamSet, type ParamValues, t } from './params.ts'
export {
  createRateCounter,
  isExceeded,
  type RateCounter,
  type Standing,
  type Throttle,
  throttled,
} from './rate-limit.ts'
export { header, pathId, type RequestInfo } from './request.ts'
export {
  anything,
  forms,
  nothing,
  nullable,
  pageOf,
  type Raw,
  raw,
  type StreamedJson,
  streamedJson,
} from './results.ts'
export { pageOfRows } from './row-page.ts'
export { type Static, type TSchema, Type } from './schema.ts'
export { reading, readingFiles, readingUsers, requireScope, type Scopes, writing } from './scopes.ts'
export type { ServedRoute } from './served-route.ts'
export { createServer, type Service, sendError } from './server.ts'
export { type ApiOptions, createApi } from './service.ts'
export { type InstanceAbility, instance, type Subject } from './subject.ts'
