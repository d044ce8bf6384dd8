import type { FastifyReply } from 'fastify'

type Headers = Record<string, string | number>

/** Sends JSON. The body is left out for HEAD. */
export function sendJson(reply: FastifyReply, status: number, body: unknown, headers: Headers = {}): void {
  reply
    .code(status)
    .headers({ 'Content-Type': 'application/json', ...headers })
    .send(Buffer.from(JSON.stringify(body)))
}

/** Sends an answer without a body. */
export function sendEmpty(reply: FastifyReply, status: number, headers: Headers = {}): void {
  reply.code(status).headers(headers).send()
}
