/** Authenticates the client of a connection by public key. */
import type { AuthContext, PublicKeyAuthContext } from 'ssh2'
import type { Clock } from '../../clock/index.ts'
import type { SshLimits } from '../limits.ts'
import type { OfferedKey, SshLog, SshService } from '../types.ts'
import { type Certificate, isCertificateType, isCertified, isValidFor, readCertificate } from './certificate.ts'
import { isSignedBy, readSignature, typeOfBlob } from './signature.ts'

/** The maximal number of requests per connection: each may cost a look-up. */
const mostQuestions = 30

type Parts<Identity> = {
  authenticate: SshService<Identity>['authenticate']
  limits: SshLimits
  clock: Clock
  /** Of the client. */
  address: string
  log: SshLog
  /** Called once, after successful authentication, before the client is informed. */
  onKnown(identity: Identity): void
  /** Ends the connection. */
  end(): void
}

/** Fields that are missing in the library's types. */
type KeyContext = PublicKeyAuthContext & { hashAlgo?: 'sha256' | 'sha512' }

const publicKeyOnly: ['publickey'] = ['publickey']

/** What a request offers. */
type Offer = { key: OfferedKey; certificate: Certificate | null }

/** The certificate of a request; null when the algorithm does not match it, or is not allowed, or it is malformed. */
function certificateOf({ key }: KeyContext, type: string): Offer | null {
  const certificate = readCertificate(key.data)
  const algorithm: string = key.algo
  // `ssh-rsa-cert-v01@openssh.com` means signatures with SHA-1.
  const isMatching =
    certificate?.key.type === 'ssh-rsa'
      ? /^rsa-sha2-(256|512)-cert-v01@openssh\.com$/.test(algorithm)
      : algorithm === type
  if (!certificate || !isMatching) return null
  const { keyId, authority, validBefore } = certificate
  return { key: { ...certificate.key, certificate: { keyId, authority, validBefore } }, certificate }
}

/** The key of a request; null when the algorithm does not match the key, or is not allowed. */
function offerOf(context: KeyContext): Offer | null {
  const { key, hashAlgo } = context
  const type = typeOfBlob(key.data)
  if (type !== null && isCertificateType(type)) return certificateOf(context, type)
  if (type === null || type !== (key.algo as string)) return null
  // `ssh-rsa` means signatures with SHA-1.
  if (type === 'ssh-rsa' && hashAlgo === undefined) return null
  return { key: { type, blob: key.data }, certificate: null }
}

/** The flag for a touch of a security key, which is required as in OpenSSH. */
const touched = 0x01

const isTouched = (trailer: Buffer) => trailer.length === 0 || ((trailer[0] ?? 0) & touched) !== 0

/** Whether the client has signed its request. The library has converted the signature to X.509, unless a security key made it. */
function isSigned(key: OfferedKey, { blob: data, hashAlgo }: KeyContext, signature: Buffer): Promise<boolean> | false {
  const signed = data ?? Buffer.alloc(0)
  const trailer = key.type.startsWith('sk-') ? signature.subarray(-5) : Buffer.alloc(0)
  if (!isTouched(trailer)) return false
  const bytes = signature.subarray(0, signature.length - trailer.length)
  return isSignedBy(key.blob, { bytes, rsaDigest: hashAlgo, trailer, isX509: trailer.length === 0 }, signed)
}

/** As `isSigned`, for the key in a certificate. The library leaves these signatures as they are. */
function isSignedWith(key: OfferedKey, { blob: data, key: { algo } }: KeyContext, encoded: Buffer) {
  const read = readSignature(encoded, key.type)
  if (!read || !isTouched(read.signature.trailer)) return false
  if (read.signature.rsaDigest && `${read.algorithm}-cert-v01@openssh.com` !== (algo as string)) return false
  return isSignedBy(key.blob, read.signature, data ?? Buffer.alloc(0))
}

/** The user that an offer identifies; null when there is none. Only signatures of known authorities are verified, which costs time. */
async function identityOf<Identity>(
  { key, certificate }: Offer,
  { authenticate, limits, clock, address }: Parts<Identity>,
): Promise<Identity | null> {
  const arrival = { moment: clock.now(), username: limits.username, address }
  if (certificate && !isValidFor(certificate, arrival)) return null
  const identity = await authenticate(key)
  return identity && certificate && !(await isCertified(certificate)) ? null : identity
}

/**
 * Answers authentication requests. A request without signature is answered, because clients use it to find the right key, but
 * only a verified signature authenticates.
 */
export function authenticating<Identity>(parts: Parts<Identity>) {
  const { limits, log, onKnown, end } = parts
  let questions = 0
  let failures = 0
  let isOver = false

  /** Ends the connection; further requests are ignored. */
  function giveUp(): void {
    isOver = true
    end()
  }

  function refuse(context: AuthContext): void {
    // Clients ask with `none` first, to learn the methods.
    if (context.method !== 'none') failures += 1
    if (failures >= limits.attempts) giveUp()
    else context.reject(publicKeyOnly)
  }

  async function answer(context: AuthContext): Promise<void> {
    questions += 1
    if (isOver) return
    if (questions > mostQuestions) return giveUp()
    if (context.method !== 'publickey' || context.username !== limits.username) return refuse(context)
    const asked = context as KeyContext
    const offer = offerOf(asked)
    const identity = offer && (await identityOf(offer, parts))
    if (!offer || !identity) return refuse(context)
    // The client will send a signature next.
    if (asked.signature === undefined) return context.accept()
    const verify = offer.certificate ? isSignedWith : isSigned
    if (!(await verify(offer.key, asked, asked.signature))) return refuse(context)
    onKnown(identity)
    context.accept()
  }

  return (context: AuthContext): void => {
    answer(context).catch((error) => {
      log('error', 'a client could not be identified', { err: error })
      giveUp()
    })
  }
}
