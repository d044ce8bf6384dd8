import { ApiError } from './errors.ts'
import { header, type RequestInfo } from './request.ts'

/** What the spam checkers say: certain spam is discarded even where a CAPTCHA could be solved. */
export type SpamVerdict = 'allow' | 'suspicious' | 'certain'

/** Records submissions that were classified as spam, and marks those whose author solved the CAPTCHA. */
export type SpamLog = {
  /** @param entry.solvable whether a solved CAPTCHA lets the submission pass */
  record(entry: { userId: number; kind: string; solvable: boolean }): Promise<number>
  /** Marks an unused, solvable entry of this user and kind as verified; false when there is none. */
  verify(entry: { id: number; userId: number; kind: string }): Promise<boolean>
}

/** The CAPTCHA service; reCAPTCHA version 2 is the only one supported. */
export type CaptchaService = { siteKey: string; accepts(response: string, ip: string): Promise<boolean> }

export type SpamCheck = {
  kind: 'snippet' | 'issue'
  userId: number
  request: RequestInfo
  /** What the content looks like; called only when the caller has not solved the CAPTCHA. */
  verdict: () => Promise<SpamVerdict>
  captcha: CaptchaService | undefined
  log: SpamLog
}

/** `X-Service-*` wins over `X-GitLab-*`; any mix is accepted (contract 00, "Spam and CAPTCHA"). */
function sent(request: RequestInfo, name: string): string | undefined {
  return header(request, `x-service-${name}`) ?? header(request, `x-gitlab-${name}`)
}

async function isVerified({ request, captcha, log, userId, kind }: SpamCheck): Promise<boolean> {
  const response = sent(request, 'captcha-response')
  const text = sent(request, 'spam-log-id') ?? ''
  const id = /^\d+$/.test(text) ? Number(text) : 0
  if (!captcha || !response || id < 1 || !Number.isSafeInteger(id)) return false
  // The service is called first: a wrong response must not use up the log entry.
  return (await captcha.accepts(response, request.ip)) && (await log.verify({ id, userId, kind }))
}

/**
 * Checks text that an operation is about to publish, by the CAPTCHA protocol (contract 00, "Spam and CAPTCHA").
 * @throws ApiError 400 when it is certainly spam, or no CAPTCHA service is configured; 409 with what the client needs to show a
 * CAPTCHA
 */
export async function checkSpam(check: SpamCheck): Promise<void> {
  if (await isVerified(check)) return
  const verdict = await check.verdict()
  if (verdict === 'allow') return
  const captcha = verdict === 'suspicious' ? check.captcha : undefined
  const id = await check.log.record({ userId: check.userId, kind: check.kind, solvable: captcha !== undefined })
  if (!captcha) {
    const error = `Your ${check.kind} has been recognized as spam and has been discarded.`
    throw new ApiError('spam', 400, { message: { error } })
  }
  throw new ApiError('captcha_needed', 409, {
    needs_captcha_response: true,
    spam_log_id: id,
    captcha_site_key: captcha.siteKey,
    message: {
      error: `Your ${check.kind} has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.`,
    },
  })
}
