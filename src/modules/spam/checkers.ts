import type { SpamVerdict } from '../../api/index.ts'
import { type OutboundAnswer, sendOutbound } from '../../infra/net/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { InstanceSettings } from '../../platform/settings/index.ts'
import { outboundPolicy } from '../projects/index.ts'

/** A text that an operation is about to publish, with its sender. */
export type Submission = {
  kind: 'snippet' | 'issue'
  action: 'create' | 'update'
  user: { id: number; username: string }
  ipAddress: string
  userAgent: string
  title: string
  text: string
}

/** A service that recognizes spam. A further one is a line in `spamCheckers`. */
type SpamChecker = {
  name: string
  isOn(settings: InstanceSettings): boolean
  /** @throws Error when the service cannot be asked */
  check(platform: Platform, settings: InstanceSettings, submission: Submission): Promise<SpamVerdict>
}

const limits = { timeoutMs: 5_000, maximumBytes: 64 * 1024 }

/** Longer texts are cut: what is spam shows at the beginning. In characters. */
const maximumText = 100_000

/** Posts to a service. @throws Error unless it answers with a success */
export async function post(
  settings: InstanceSettings,
  address: string,
  type: string,
  body: string,
): Promise<OutboundAnswer> {
  const headers = { 'Content-Type': type, 'User-Agent': 'Fennec' }
  const answer = await sendOutbound({
    ...{ method: 'POST', url: new URL(address), headers, body, policy: outboundPolicy(settings) },
    ...limits,
  })
  if (answer.status < 200 || answer.status > 299) throw new Error(`answered ${answer.status}`)
  return answer
}

const verdicts: readonly SpamVerdict[] = ['allow', 'suspicious', 'certain']

/** The endpoint that the settings name; it answers `{"verdict": "allow" | "suspicious" | "certain"}` (contract 09, Spam). */
const endpoint: SpamChecker = {
  name: 'spam check endpoint',
  isOn: (settings) => settings.spam_check_endpoint_enabled && settings.spam_check_endpoint_url !== null,
  async check(_platform, settings, { kind, action, user, ipAddress, userAgent, title, text }) {
    const body = {
      kind,
      action,
      user,
      ip_address: ipAddress,
      user_agent: userAgent,
      title,
      text: text.slice(0, maximumText),
    }
    const address = settings.spam_check_endpoint_url ?? ''
    const answer = await post(settings, address, 'application/json', JSON.stringify(body))
    const said: unknown = JSON.parse(answer.body.toString())?.verdict
    const verdict = verdicts.find((one) => one === said)
    if (!verdict) throw new Error('answered without a verdict')
    return verdict
  },
}

/** Akismet's `comment-check`. Its advice to discard stands for certain spam. */
const akismet: SpamChecker = {
  name: 'Akismet',
  isOn: (settings) => settings.akismet_enabled && settings.akismet_api_key !== null,
  async check({ externalUrl }, settings, { kind, user, ipAddress, userAgent, title, text }) {
    const form = new URLSearchParams({
      api_key: settings.akismet_api_key ?? '',
      blog: externalUrl,
      user_ip: ipAddress,
      user_agent: userAgent,
      comment_type: kind,
      comment_author: user.username,
      comment_content: `${title}\n\n${text.slice(0, maximumText)}`,
    })
    const answer = await post(settings, settings.akismet_url, 'application/x-www-form-urlencoded', form.toString())
    const said = answer.body.toString().trim()
    if (said !== 'true' && said !== 'false') throw new Error(`answered '${said.slice(0, 100)}'`)
    if (said === 'false') return 'allow'
    return answer.headers['x-akismet-pro-tip'] === 'discard' ? 'certain' : 'suspicious'
  },
}

const spamCheckers: readonly SpamChecker[] = [endpoint, akismet]

/** The checkers that are on. */
export function checkersOf(settings: InstanceSettings): readonly SpamChecker[] {
  return spamCheckers.filter((checker) => checker.isOn(settings))
}

/** The gravest verdict of all checkers. One that cannot be asked does not stop users: it counts as `allow`. */
export async function verdictOf(
  platform: Platform,
  settings: InstanceSettings,
  submission: Submission,
): Promise<SpamVerdict> {
  const ask = ({ name, check }: SpamChecker) =>
    check(platform, settings, submission).catch((error): SpamVerdict => {
      platform.log.warn({ err: error }, `the ${name} could not be asked`)
      return 'allow'
    })
  const said = await Promise.all(checkersOf(settings).map(ask))
  return [...verdicts].reverse().find((verdict) => said.includes(verdict)) ?? 'allow'
}
