import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieName, readCookie } from '../../api/index.ts'

/** Cookies of pages, for a server at one external address. */
export type Cookies = {
  /** The value of a cookie of this request. */
  read(request: FastifyRequest, name: string): string | undefined
  /** Sets a cookie for `seconds`; 0 removes it. No script reads it, and other sites do not send it with forms. */
  write(reply: FastifyReply, name: string, value: string, seconds: number): void
}

/** Creates the cookies of the pages. */
export function createCookies(externalUrl: string): Cookies {
  const isSecure = externalUrl.startsWith('https:')
  const nameOf = (name: string) => cookieName(externalUrl, name)
  return {
    read: ({ headers }, name) => readCookie(headers, nameOf(name)),
    write(reply, name, value, seconds) {
      const parts = [`${nameOf(name)}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax']
      const cookie = [...parts, ...(isSecure ? ['Secure'] : [])].join('; ')
      const before = reply.getHeader('Set-Cookie')
      reply.removeHeader('Set-Cookie')
      reply.header('Set-Cookie', before === undefined ? cookie : [before as string, cookie].flat())
    },
  }
}
