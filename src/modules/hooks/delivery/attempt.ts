import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type ApiError, failure } from '../../../api/index.ts'
import { sendOutbound } from '../../../infra/net/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { ownerOfHook } from '../core/owner.ts'
import type { HookSecrets } from '../core/secrets.ts'
import { filledUrl, hookPolicy, parseHookUrl } from '../core/validation.ts'
import type { WebHookEventRow, WebHookRow } from '../tables.ts'
import { renderTemplate, TemplateError } from './template.ts'

/** What the log shows of the response, as that of clients does: 8 KB of the body, 50 headers of 1 KB. */
const bodyBytes = 8 * 1024
const mostHeaders = 50
const headerCharacters = 1024

/** One request to a receiver, as it is logged. */
export type Attempt = {
  url: string
  requestHeaders: Record<string, string>
  responseHeaders: Record<string, string>
  responseBody: string
  /** Null without a response. */
  code: number | null
  /** In seconds. */
  duration: number
}

type Sent = {
  hook: WebHookRow
  secrets: HookSecrets
  event: Pick<WebHookEventRow, 'uuid' | 'header' | 'payload'>
  idempotencyKey: string
}

const concealed = '[REDACTED]'

/** The headers of a request under both of their names (contract 21 R7), and as the log shows them. */
function headersOf({ config, externalUrl }: Platform, { hook, secrets, event, idempotencyKey }: Sent, body: string) {
  const { token } = secrets
  const own: Record<string, string> = {
    Event: event.header,
    Instance: externalUrl,
    'Webhook-UUID': hook.uuid,
    'Event-UUID': event.uuid,
    ...(token === null ? {} : { Token: token, Signature: createHmac('sha256', token).update(body).digest('hex') }),
  }
  const named = Object.entries(own).flatMap(([name, value]) => [
    [`X-Gitlab-${name}`, value],
    [`X-Service-${name}`, value],
  ])
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `GitLab/${config.version}`,
    'Idempotency-Key': idempotencyKey,
    ...Object.fromEntries(named),
  } as Record<string, string>
  const taken = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  // What the server says about itself cannot be replaced.
  const custom = secrets.headers.filter(({ key }) => !taken.has(key.toLowerCase()))
  const secretNames = ['X-Gitlab-Token', 'X-Service-Token', 'X-Gitlab-Signature', 'X-Service-Signature']
  return {
    sent: { ...headers, ...Object.fromEntries(custom.map(({ key, value }) => [key, value])) },
    logged: {
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, secretNames.includes(name) ? concealed : value]),
      ),
      ...Object.fromEntries(custom.map(({ key }) => [key, concealed])),
    },
  }
}

/** Text that both databases store. */
const storable = (text: string) => text.replaceAll('\u0000', '\ufffd')

/** `content-type` as receivers usually write it. */
const titled = (name: string) => name.replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase())

function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).slice(0, mostHeaders)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      titled(name),
      storable((Array.isArray(value) ? value.join(', ') : (value ?? '')).slice(0, headerCharacters)),
    ]),
  )
}

/** What went wrong without a response, for the log: what the resolver or the kernel says names addresses at most. */
export function sentenceOf(error: unknown): string {
  const { name, message, code } = error as Error & { code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return 'execution expired'
  return storable(message || code || name).slice(0, headerCharacters)
}

/**
 * Sends an event to a hook, in any state of the hook. The address is resolved and checked now, and redirects are not
 * followed (contract 21 R7).
 */
export async function attempt(platform: Platform, sent: Sent): Promise<Attempt> {
  const { hook, secrets, event } = sent
  const { settings, config } = platform
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1000
  const shared = { url: hook.url, responseHeaders: {}, responseBody: '', code: null }
  let logged: Record<string, string> = {}
  try {
    const template = hook.custom_webhook_template
    const body = template === null ? event.payload : renderTemplate(template, JSON.parse(event.payload))
    const headers = headersOf(platform, sent, body)
    logged = headers.logged
    const url = parseHookUrl(filledUrl(hook.url, secrets.variables))
    if (!url) throw new TemplateError('Invalid URL')
    const answer = await sendOutbound({
      method: 'POST',
      url,
      headers: headers.sent,
      body,
      policy: hookPolicy(await settings.current(), ownerOfHook(hook)),
      timeoutMs: config.webhookTimeoutMs,
      maximumBytes: bodyBytes,
      cutsAnswer: true,
      verifiesCertificate: hook.enable_ssl_verification,
    })
    return {
      ...shared,
      requestHeaders: logged,
      responseHeaders: shownHeaders(answer.headers),
      responseBody: storable(answer.body.toString()),
      code: answer.status,
      duration: elapsed(),
    }
  } catch (error) {
    return { ...shared, requestHeaders: logged, responseBody: sentenceOf(error), duration: elapsed() }
  }
}

/** Whether the receiver has accepted it. */
export function isAccepted({ code }: Pick<Attempt, 'code'>): boolean {
  return code !== null && code >= 200 && code < 300
}

/** 422 with what the receiver has answered, or why it has not (contract 21, x.project_hooks_test). */
export function receiverFailed({ responseBody, code }: Attempt): ApiError {
  return failure(422, responseBody || (code === null ? 'internal error' : String(code)))
}
