/** Files that texts refer to, such as pictures. */
import { createWriteStream, openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { bodyOf, handled } from '../../../infra/streams/index.ts'
import { NotBrought } from '../../clients/errors.ts'
import { requireText } from '../../clients/values.ts'
import { attempt, type ImportContext, type Place } from '../context.ts'

const link = /\/uploads\/([0-9a-f]{32})\/([^\s()<>"'`\\/?#[\]]{1,255})/g

/** A text whose links lead to the attached files here. A file that cannot be brought keeps its link, and is reported. */
export async function withAttachments(context: ImportContext, place: Place, text: string): Promise<string> {
  const brought = new Map<string, string>()
  for (const [address, secret = '', name = ''] of new Map(
    [...text.matchAll(link)].map((found) => [found[0], found]),
  ).values()) {
    const what = `attached file ${name}`
    const key = `upload ${place.from} ${secret} ${name}`
    const url = await attempt(context, { key: `item ${key}`, place: place.path, what }, () =>
      // A file of a run that ended before it was noted belongs to no text.
      context.state.once(key, { find: async () => null, make: () => bringFile(context, place, secret, decoded(name)) }),
    )
    if (url !== null) brought.set(address, url)
  }
  return text.replaceAll(link, (address) => brought.get(address) ?? address)
}

/** The name of a file in an address. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** @returns the address of the file here, as texts name it */
async function bringFile(
  { source, target, folder }: ImportContext,
  place: Place,
  secret: string,
  name: string,
): Promise<string> {
  const path = `${place.from}/uploads/${secret}/${encodeURIComponent(name)}`
  const response = await source.open(new URL(`${source.url}/api/v4${path}`))
  const file = join(folder, 'attached-file')
  try {
    await pipeline(bodyOf(response), handled(createWriteStream(file, { mode: 0o600 }))).catch(
      (error: NodeJS.ErrnoException) => {
        // Errors of the disk have a system call; others are of the answer.
        if (error.syscall !== undefined) throw error
        throw new NotBrought(`the answer breaks off (${error.message})`)
      },
    )
    const form = new FormData()
    form.set('file', await openAsBlob(file), name)
    return requireText(await target.write('POST', `${place.to}/uploads`, form), 'url')
  } finally {
    await rm(file, { force: true })
  }
}
