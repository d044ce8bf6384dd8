import { ApiError, failure, lengthProblems, onlyProblems, type Problems } from '../../../api/index.ts'
import { checkLiteralHost, type OutboundPolicy } from '../../../infra/net/index.ts'
import { compileRegex } from '../../../infra/regex/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import { outboundPolicy } from '../../projects/index.ts'
import type { WebHookRow } from '../tables.ts'
import type { HookOwner } from './owner.ts'
import type { Pair } from './secrets.ts'

/** 422 with a sentence that names no field. */
const refused = (error: string) => new ApiError('unprocessable', 422, { error })
export const invalidUrl = () => refused('Invalid url given')
export const invalidBranchFilter = () => refused('Invalid branch filter given')
export const illegalKeyOrValue = () => refused('Illegal key or value')

const longestUrl = 2048
const longestValue = 2048
const longestFilter = 4000
/** In instructions of the compiled expression; a match takes at most as many steps per character as there are. */
const largestProgram = 2_000
const mostHeaders = 20

/**
 * Where hooks may be sent: those of the instance by a setting of their own, since only administrators make them (contract
 * 20, settings).
 */
export function hookPolicy(settings: InstanceSettings, { kind }: Pick<HookOwner, 'kind'>): OutboundPolicy {
  if (kind !== 'instance') return outboundPolicy(settings)
  return { ...outboundPolicy(settings), allowLocal: settings.allow_local_requests_from_system_hooks }
}

/** The address with the values of its variables. A name without a value stays. */
export function filledUrl(url: string, variables: ReadonlyMap<string, string>): string {
  return url.replace(/\{([^{}]+)\}/g, (braced, name) => variables.get(name) ?? braced)
}

/** Reads an address. @returns null unless it is one of http or https */
export function parseHookUrl(text: string): URL | null {
  // The parser would drop line ends and tabs, and trim blanks.
  if (text.length > longestUrl || /[\s\p{Cc}]/u.test(text)) return null
  const url = URL.parse(text)
  return url && ['http:', 'https:'].includes(url.protocol) ? url : null
}

/** @throws ApiError 422 unless hooks of this owner may be sent to the address; names are resolved when it is used */
export function checkUrl(url: string, variables: ReadonlyMap<string, string>, policy: OutboundPolicy): void {
  const filled = filledUrl(url, variables)
  const parsed = /[{}]/.test(filled) ? null : parseHookUrl(filled)
  if (!parsed) throw invalidUrl()
  try {
    checkLiteralHost(parsed, policy)
  } catch {
    throw invalidUrl()
  }
}

const variableKey = /^[A-Za-z]+[0-9]*(?:[._-][A-Za-z0-9]+)*$/
const headerKey = variableKey
/** They decide how the request is sent, or are those of the sender. */
const reservedHeaders = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
]

/** Printable, so that it can stand in an address or header. */
const isPlainValue = (value: string) => value.length <= longestValue && /^[\x20-\x7e]+$/.test(value)

export function isVariable({ key, value }: Pair): boolean {
  return key.length <= 100 && variableKey.test(key) && isPlainValue(value)
}

export function isHeader({ key, value }: Pair): boolean {
  return key.length <= 100 && headerKey.test(key) && !reservedHeaders.includes(key.toLowerCase()) && isPlainValue(value)
}

export function headerCountProblems(count: number): string[] {
  return count > mostHeaders ? [`number of keys exceeds the limit of ${mostHeaders}`] : []
}

/** @throws ApiError 422 */
export function checkBranchFilter({
  push_events_branch_filter: filter,
  branch_filter_strategy: strategy,
}: Pick<WebHookRow, 'push_events_branch_filter' | 'branch_filter_strategy'>): void {
  if (filter === null || strategy === 'all_branches') return
  if (filter.length > longestFilter) throw invalidBranchFilter()
  if (strategy === 'wildcard' ? !isWildcard(filter) : !isExpression(filter)) throw invalidBranchFilter()
}

/** Whether it can be the name of a branch, with `*` for any part of it. */
function isWildcard(filter: string): boolean {
  const name = filter.replaceAll('*', 'x')
  return name !== '' && !/[\s\p{Cc}~^:?[\\]|\.\.|@\{|\/\/|^[/.-]|[/.]$|\.lock$/u.test(name)
}

function isExpression(filter: string): boolean {
  try {
    return compileRegex(filter).programSize() <= largestProgram
  } catch {
    return false
  }
}

/** The values of a hook that rules look at besides its address and filter. */
export type HookDraft = {
  name: string | null
  description: string | null
  token: string | null
  custom_webhook_template: string | null
  url_variables: readonly Pair[]
  custom_headers: readonly Pair[]
}

/** @throws ApiError 422 with the problems by field */
export function checkDraft(draft: HookDraft): void {
  const { token, url_variables: variables, custom_headers: headers } = draft
  const fields: Problems = {
    name: lengthProblems(draft.name ?? '', 255),
    description: lengthProblems(draft.description ?? '', 2048),
    token: token === null || (token.length <= longestValue && /^[\x20-\x7e]*$/.test(token)) ? [] : ['is invalid'],
    custom_webhook_template: lengthProblems(draft.custom_webhook_template ?? '', 4096),
    url_variables: variables.every(isVariable) ? [] : ['must be a valid json schema'],
    custom_headers: headers.every(isHeader)
      ? headerCountProblems(new Set(headers.map(({ key }) => key)).size)
      : ['must be a valid json schema'],
  }
  const problems = onlyProblems(fields)
  if (Object.keys(problems).length > 0) throw failure(422, problems)
}
