import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../forms/values.ts'
import type { Refused } from '../page.ts'

/** A request with the texts of its form. */
export type SentForm = { request: FastifyRequest; reply: FastifyReply; fields: Partial<Record<string, string>> }

/** What a form shows again: a problem, or what came of it. */
export type ShownAgain = { refused: Refused; status: number }

/** Shows the form again. Secrets are not among the values. */
export function again(
  operation: string,
  fields: Partial<Record<string, string>>,
  problem: Problem,
  status: number,
): ShownAgain {
  const { password: _, new_password: __, code: ___, ...values } = fields
  return { status, refused: { operation, values, ...problem } }
}
