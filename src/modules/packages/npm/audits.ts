import { type Raw, tooLarge } from '../../../api/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ServedPlace } from '../access/places.ts'
import { authenticationRequired } from '../access/problems.ts'
import { forwardAddress, redirectTo } from '../reading/forwarding.ts'
import { namespaceOf } from '../reading/projects.ts'

const largestBody = 10 * 1024 * 1024

/**
 * Answers a question about known defects of packages: the server knows none (contract 23, x.npm_advisories).
 * @param path below the registry where the question is sent when packages are forwarded
 * @param redirected called when the answer sends the client elsewhere
 * @throws ApiError 401, 413
 */
export async function answerAudit(
  platform: Platform,
  place: ServedPlace,
  { path, content }: { path: string; content: AsyncIterable<Uint8Array> },
  redirected: () => void,
): Promise<Raw> {
  if (place.caller.kind === 'anonymous') throw authenticationRequired()
  for await (const _ of limited(content, largestBody, tooLarge));
  const address = await forwardAddress(platform, 'npm', namespaceOf(place))
  if (address === null) return { headers: { 'Content-Type': 'application/json' }, body: '[]' }
  redirected()
  return redirectTo(`${address}${path}`)
}
