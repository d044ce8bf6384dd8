import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../api/index.ts'
import { passwordResetPath, requestPasswordReset, resetPassword, signUp } from '../../modules/sessions/index.ts'
import { maintenanceSentence } from '../../platform/index.ts'
import { type Problem, problemOf } from '../forms/values.ts'
import { redirect } from '../http/send.ts'
import type { Console } from '../visits.ts'
import { again, type SentForm, type ShownAgain } from './shown-again.ts'
import { enter, fieldsOfOwnForm, leave } from './sign-in.ts'

type Receive = (console: Console, sent: SentForm) => Promise<ShownAgain | null>

const say = (sentence: string): Problem => ({ sentence, fields: {} })

const needs = {
  nothing: 'Your account is ready. Sign in.',
  approval: 'Your account waits for an administrator, who has to approve it.',
  confirmation: 'Your account waits for you to open the link in the mail that was sent to you.',
} as const

/** Creates an account, and says what it needs before its user can sign in. */
const register: Receive = async (console, { request, fields }) => {
  const { username = '', name = '', email = '', password = '' } = fields
  const result = await signUp(console.platform, { username, name, email, password }, request.ip)
  if (result.kind === 'closed') return again('sign_up', fields, say('This server takes no sign-ups.'), 403)
  return again('sign_up', { ...fields, done: 'true' }, say(needs[result.needs]), 200)
}

/** Asks for a mail with a link. The answer is the same for every address. */
const askForReset: Receive = async (console, { request, fields }) => {
  const isSent = await requestPasswordReset(console.platform, fields.email ?? '', request.ip)
  if (!isSent) return again('reset', fields, say('This server sends no mails. Ask an administrator.'), 503)
  const sentence = 'If the address belongs to an account, a mail with a link is on its way to it.'
  return again('reset', { ...fields, done: 'true' }, say(sentence), 200)
}

/** Sets the password of the user of a link. */
const setPassword: Receive = async (console, { reply, fields }) => {
  await resetPassword(console.platform, fields.reset_password_token ?? '', fields.new_password ?? '')
  redirect(reply, '/users/sign_in')
  return null
}

const signOut: Receive = async (console, { request, reply }) => {
  await leave(console, request, reply)
  return null
}

/** The forms of callers who are not signed in, by their addresses: no operation performs them. */
const openForms: Readonly<Record<string, Receive>> = {
  [passwordResetPath]: setPassword,
  '/users/password/new': askForReset,
  '/users/sign_in': enter,
  '/users/sign_out': signOut,
  '/users/sign_up': register,
}

/** The forms that are received in maintenance. */
const always = new Set(['/users/sign_in', '/users/sign_out'])

/** Receives a form of these addresses. @returns undefined for every other address; null when the answer has been sent */
export async function receiveOpenForm(
  console: Console,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<ShownAgain | null | undefined> {
  const receive = Object.hasOwn(openForms, path) ? openForms[path] : undefined
  if (!receive) return undefined
  const fields = await fieldsOfOwnForm(console, request)
  try {
    const maintenance = always.has(path) ? null : await maintenanceSentence(console.platform)
    if (maintenance !== null) return again(path, fields, say(maintenance), 503)
    return await receive(console, { request, reply, fields })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const problem = error.status === 429 ? say('Too many attempts. Try again later.') : problemOf(error)
    return again(path, fields, problem, error.status)
  }
}
