import { makeKeyPair } from '../../infra/ssh/index.ts'
import type { Platform } from '../../platform/index.ts'
import { readRemoteAddress, withoutLogin } from '../projects/index.ts'

const schemes = ['http', 'https', 'ssh', 'git']
const stars = '*****'

const contextOf = (projectId: number) => `mirrors:${projectId}:url`

/** Encrypts the whole address of a mirror; it can be opened for this project only. */
export async function sealAddress({ secrets }: Platform, address: URL, projectId: number): Promise<string> {
  return (await secrets.sealer()).seal(address.href, contextOf(projectId))
}

/** Decrypts an address. @throws SealError when it was sealed for another project, or with a lost key */
export async function openAddress({ secrets }: Platform, sealed: string, projectId: number): Promise<URL> {
  return new URL((await secrets.sealer()).open(sealed, contextOf(projectId)))
}

const keyContextOf = (projectId: number) => `mirrors:${projectId}:key`

/** Makes a pair of keys for a mirror, the private one encrypted for this project. */
export async function newKeys({ secrets }: Platform, projectId: number) {
  const { publicKey, privateKey } = await makeKeyPair('push-mirror')
  return {
    public_key: publicKey,
    sealed_private_key: (await secrets.sealer()).seal(privateKey, keyContextOf(projectId)),
  }
}

/** Decrypts the private key of a mirror. @throws SealError as `openAddress` */
export async function openPrivateKey({ secrets }: Platform, sealed: string, projectId: number): Promise<string> {
  return (await secrets.sealer()).open(sealed, keyContextOf(projectId))
}

/** Parses the address of a mirror. @returns the address, or the sentence that refuses it */
export async function readAddress({ settings }: Platform, text: string): Promise<URL | string> {
  return readRemoteAddress(text, schemes, await settings.current())
}

/** The address with stars instead of its credentials (contract 22, x.rmirror_create). */
export function shownAddress(address: URL): string {
  if (address.username === '' && address.password === '') return address.href
  const shown = new URL(address)
  shown.username = stars
  shown.password = stars
  return shown.href
}

/** Replaces the given credentials of an address. */
export function withLogin(address: URL, user: string | undefined, password: string | undefined): URL {
  const changed = new URL(address)
  if (user !== undefined) changed.username = encodeURIComponent(user)
  if (password !== undefined) changed.password = encodeURIComponent(password)
  return changed
}

/**
 * The new address of a mirror. An address without credentials, or with stars, takes over those of the previous address, but
 * only for the same repository: a user who may change the address must not gain access to others with them.
 */
export function followingAddress(given: URL, before: URL | null): URL {
  const isShown = given.username === stars && given.password === stars
  const hasNone = given.username === '' && given.password === ''
  if (!isShown && !hasNone) return given
  const isSame = before !== null && withoutLogin(given) === withoutLogin(before)
  const next = new URL(given)
  next.username = isSame ? before.username : ''
  next.password = isSame ? before.password : ''
  return next
}
