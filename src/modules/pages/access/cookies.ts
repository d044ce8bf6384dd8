import type { FastifyReply } from 'fastify'
import { cookieName } from '../../../api/index.ts'
import { type Platform, pagesBase } from '../../../platform/index.ts'

/** The cookies of a host of sites: of a visitor who has signed in, and of one who is about to. Other hosts do not get them. */
export function cookieNames(platform: Platform): { session: string; state: string } {
  const { protocol } = pagesBase(platform)
  return { session: cookieName(protocol, 'pages_session'), state: cookieName(protocol, 'pages_state') }
}

/** A cookie for this host only, which no script reads. @param seconds 0 removes it; undefined: until the browser ends */
export function cookieOf(platform: Platform, name: string, value: string, seconds?: number): string {
  const isSecure = pagesBase(platform).protocol === 'https:'
  const age = seconds === undefined ? [] : [`Max-Age=${seconds}`]
  return [`${name}=${value}`, 'Path=/', ...age, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ')
}

/** Leads a browser on, without anything that a cache may keep or another host may learn. */
export function leadOn(reply: FastifyReply, to: string, cookies: string[] = []): void {
  const kept = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  reply
    .code(302)
    .headers({ ...kept, Location: to, 'Set-Cookie': cookies })
    .send()
}

/** The address where it is a path of this host; `/` for everything else. */
export const localPath = (address: string | null): string =>
  address !== null && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(address) ? address : '/'
