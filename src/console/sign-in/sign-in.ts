import type { FastifyReply, FastifyRequest } from 'fastify'
import { header, readBody } from '../../api/index.ts'
import { endSession, type SignInResult, sessionCookie, signIn } from '../../modules/sessions/index.ts'
import { localPath, requireOwnPage } from '../http/origin.ts'
import { redirect } from '../http/send.ts'
import { type Console, textsOf } from '../visits.ts'
import { again, type SentForm, type ShownAgain } from './shown-again.ts'

const browserOf = (request: FastifyRequest) => ({ ip: request.ip, userAgent: header(request, 'user-agent') ?? '' })

/** The texts of a form that no operation performs. @throws ApiError 403 for a form of another origin */
export async function fieldsOfOwnForm(
  { bodyLimits }: Console,
  request: FastifyRequest,
): Promise<Partial<Record<string, string>>> {
  requireOwnPage(request)
  const { parameters, dispose } = await readBody(request.raw, bodyLimits, {})
  await dispose?.()
  return textsOf(parameters)
}

/** What the page for signing in says after an attempt. */
function sentenceOf(answer: Exclude<SignInResult, { kind: 'signed_in' }>): string {
  switch (answer.kind) {
    case 'wrong':
      return 'The user name or the password is wrong, or the account is locked for a time.'
    case 'refused':
      return answer.reason
    case 'code_needed':
      return answer.isWrong ? 'The code is wrong. Enter the next one.' : 'Enter a code of your device.'
    case 'password_expired':
      return ['Your password has expired: choose a new one.', ...answer.problems].join(' ')
  }
}

/**
 * Signs in by the fields of the form, and leads to where the caller came from.
 * @returns what the form shows when that did not succeed
 * @throws ApiError 429 after too many failures, 503 while too many passwords are verified
 */
export async function enter(console: Console, { request, reply, fields }: SentForm): Promise<ShownAgain | null> {
  const { platform, cookies } = console
  const { username = '', password = '', return_to: address, code, new_password: newPassword } = fields
  const given = { username, password, ...(code && { code }), ...(newPassword && { newPassword }) }
  const answer = await signIn(platform, given, browserOf(request))
  if (answer.kind !== 'signed_in') {
    const { kind } = answer
    return again('sign_in', { username, return_to: address, kind }, { sentence: sentenceOf(answer), fields: {} }, 401)
  }
  // Another session of this browser ends: what it could see is not left behind.
  await leaveSession(console, request)
  const seconds = (Date.parse(answer.expiresAt) - platform.clock.now().getTime()) / 1000
  cookies.write(reply, sessionCookie, answer.token, Math.floor(seconds))
  redirect(reply, localPath(address))
  return null
}

async function leaveSession({ platform, cookies }: Console, request: FastifyRequest): Promise<void> {
  const token = cookies.read(request, sessionCookie)
  if (token) await endSession(platform, token)
}

/** Signs out, and removes what the browser has kept of the pages. */
export async function leave(console: Console, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await leaveSession(console, request)
  console.cookies.write(reply, sessionCookie, '', 0)
  reply.header('Clear-Site-Data', '"cache"')
  redirect(reply, '/users/sign_in')
}
