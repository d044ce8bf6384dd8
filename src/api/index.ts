export { createHomePage } from './docs/home-page.ts'
export { openapiOperation } from './docs/openapi.ts'
export { createDocs } from './docs/reference-pages.ts'
export type { ServedRoute } from './docs/served-route.ts'
export {
  type Authenticator,
  authenticate,
  type PresentedToken,
  presentedToken,
  readerOf,
} from './http/authentication.ts'
export { readWholeBody } from './http/body.ts'
export { type RequestedRange, requestedRange } from './http/byte-range.ts'
export { type Connections, watchConnections } from './http/connections.ts'
export { contentDisposition } from './http/content-disposition.ts'
export { hasCurrent, weakEtag } from './http/etag.ts'
export { removeAbandonedFiles } from './http/multipart.ts'
export { answerToOutage } from './http/outages.ts'
export { onlyBelow } from './http/part.ts'
export {
  countRequest,
  deletePastWindows,
  isExceeded,
  limitRequests,
  nextStanding,
  type Standing,
  type Throttle,
  throttled,
  throttleHeaders,
} from './http/rate-limit.ts'
export { createServer, type Service } from './http/server.ts'
export { createApi } from './http/service.ts'
export { unavailableWhile } from './http/starting.ts'
export { bytesOf } from './http/streamed-body.ts'
export * from './operation/actor.ts'
export { onlyIn } from './operation/availability.ts'
export { type CaptchaService, checkSpam, type SpamLog, type SpamVerdict } from './operation/captcha.ts'
export { dayAfter, dayOf, parseDate, parseDateTime } from './operation/dates.ts'
export { allTakenIn, operationsFor, takenIn } from './operation/editions.ts'
export * from './operation/errors.ts'
export { humanSize } from './operation/human-size.ts'
export { parseNestedParameters } from './operation/nested-parameters.ts'
export {
  type Operation,
  operationsOf,
  type Unmodified,
} from './operation/operation.ts'
export {
  cursorFor,
  type KeysetRequest,
  keysetUnavailable,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
  pageOfList,
} from './operation/pagination.ts'
export { allOrNone, mutuallyExclusive, parameterError, parameterErrors } from './operation/parameter-errors.ts'
export { withNull } from './operation/parameter-schema.ts'
export { isPathNumber, type Param, type ParamSet, type ParamValues, t } from './operation/params.ts'
export * from './operation/problems.ts'
export { header, type RequestInfo } from './operation/request.ts'
export {
  anything,
  forms,
  nothing,
  nullable,
  oneOf,
  pageOf,
  type Raw,
  raw,
  type StreamedJson,
  statusNumber,
  streamedJson,
} from './operation/results.ts'
export { pageOfIds, pageOfRows } from './operation/row-page.ts'
export { type Static, type TSchema, Type } from './operation/schema.ts'
export { reading, readingFiles, readingUsers, requireScope, type Scopes, writing } from './operation/scopes.ts'
export { type InstanceAbility, instance, type Subject } from './operation/subject.ts'
export { isUploadedFile, type UploadedFile } from './operation/uploaded-file.ts'
