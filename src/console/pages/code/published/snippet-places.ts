import type { Raw } from '../../../../api/index.ts'
import { addressOfPage } from '../../../frame/addresses.ts'
import { rawSnippets, type SnippetObject, snippetTwins } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { conversationOf } from '../../../parts/discussion/index.ts'

/** Where snippets are: in a project, or personal ones. */
export type SnippetPlace = 'project' | 'instance'

/** The operations of a place. */
export const snippetsAt = (place: SnippetPlace) =>
  place === 'project' ? snippetTwins.ofProject : snippetTwins.personal

/** The operations on the discussion of a snippet of a project; personal ones have none. */
export const snippetConversation = conversationOf('snippet')

/** The address of the snippets of a place. */
export const snippetsBase = (visit: Visit, place: SnippetPlace): string =>
  place === 'project' ? addressOfPage(visit, 'project', 'snippets') : '/-/snippets'

/** The parameters that name a snippet of a place, and its project. */
export function snippetCall(
  visit: Visit,
  place: SnippetPlace,
  snippet = visit.params.snippet ?? '',
): Record<string, string | number> {
  return place === 'project' ? { id: visit.project.id, snippet_id: snippet } : { id: snippet }
}

/** A file of a snippet, as far as a page shows it. */
export type SnippetFile = { path: string; text: string; isCut: boolean }

/** Files are shown up to so many bytes. */
const mostBytes = 256 * 1024

async function beginningOf({ body }: Raw): Promise<{ text: string; isCut: boolean }> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { text: String(body), isCut: false }
  const stream = typeof body === 'function' ? await body() : body
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostBytes) break
  }
  const bytes = Buffer.concat(chunks)
  return { text: bytes.subarray(0, mostBytes).toString('utf8'), isCut: bytes.length > mostBytes }
}

/** Reads the files of a snippet. */
export function snippetFiles(visit: Visit, place: SnippetPlace, { files }: SnippetObject): Promise<SnippetFile[]> {
  const { fileRaw } = place === 'project' ? rawSnippets.ofProject : rawSnippets.personal
  const read = async ({ path }: { path: string }) => {
    const raw = await visit.read(fileRaw, { ...snippetCall(visit, place), ref: 'HEAD', file_path: path })
    return { path, ...(await beginningOf(raw)) }
  }
  return Promise.all(files.map(read))
}
