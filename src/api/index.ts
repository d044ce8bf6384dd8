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
export { type BodyLimits, readBody, readWholeBody } from './http/body/body.ts'
export { limitsOf } from './http/body/limits.ts'
export { removeAbandonedFiles } from './http/body/multipart.ts'
export { bytesOf } from './http/body/streamed-body.ts'
export { cookieName, readCookie } from './http/cookies.ts'
export { answerToOutage } from './http/outages.ts'
export { type Caller, createPerformer, type Performer, type RangeHeader } from './http/perform.ts'
export {
  countRequest,
  deletePastWindows,
  isExceeded,
  limitRequests,
  nextThrottleState,
  type Throttle,
  type ThrottleState,
  throttled,
  throttleHeaders,
} from './http/rate-limit.ts'
export { type RequestedRange, requestedRange } from './http/responses/byte-range.ts'
export { contentDisposition } from './http/responses/content-disposition.ts'
export { hasCurrent, weakEtag } from './http/responses/etag.ts'
export { type Connections, watchConnections } from './http/server/connections.ts'
export { anyOf, onlyBelow } from './http/server/part.ts'
export { createServer, type Service } from './http/server/server.ts'
export { unavailableWhile } from './http/server/starting.ts'
export { createApi } from './http/service.ts'
export { computed, fact, from, pick } from './objects/field.ts'
export { nested, object } from './objects/object.ts'
export { of } from './objects/source.ts'
export * from './operation/actor.ts'
export { onlyIn } from './operation/availability.ts'
export { type Basic, parseBasic } from './operation/basic.ts'
export { type CaptchaService, checkSpam, type SpamLog, type SpamVerdict } from './operation/captcha.ts'
export { allTakenIn, operationsFor, takenIn } from './operation/editions.ts'
export * from './operation/errors.ts'
export {
  type AnswerOf,
  type CallOf,
  type Operation,
  type OwnThrottle,
  type OwnThrottleName,
  operationsOf,
  type Unmodified,
} from './operation/operation.ts'
export {
  cursorFor,
  keysetUnavailable,
  maximumTotal,
  type OffsetRequest,
  type Page,
  type PageRequest,
  pageOfList,
} from './operation/pages/pagination.ts'
export { pageOfIds, pageOfRows } from './operation/pages/row-page.ts'
export { dayAfter, dayOf, parseDate, parseDateTime } from './operation/parameters/dates.ts'
export { parseNestedParameters } from './operation/parameters/nested-parameters.ts'
export {
  allOrNone,
  atLeastOneMissing,
  mutuallyExclusive,
  parameterError,
  parameterErrors,
} from './operation/parameters/parameter-errors.ts'
export { isPathNumber, type Param, type ParamSet, type ParamValues, t } from './operation/parameters/params.ts'
export * from './operation/parameters/problems.ts'
export { humanSize } from './operation/parameters/problems.ts'
export { isUploadedFile, type UploadedFile, uploadedFile } from './operation/parameters/uploaded-file.ts'
export { header, type RequestInfo, streamOf } from './operation/request.ts'
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
export { type Static, type TSchema, Type, withNull } from './operation/schema.ts'
export { reading, readingFiles, readingUsers, requireScope, type Scopes, writing } from './operation/scopes.ts'
export { type InstanceAbility, instance, type Subject } from './operation/subject.ts'
