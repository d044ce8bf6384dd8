/** Pushes commits as git does: by HTTP, in a pack of whole objects. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Api } from './client.ts'

type Kind = 'commit' | 'tree' | 'blob'
type GitObject = { id: string; kind: Kind; content: Buffer }

/** A commit as it is pushed: all files of it, by path. */
export type PackedCommit = {
  files: ReadonlyMap<string, string>
  author: { name: string; email: string }
  atMs: number
  message: string
}

/** The kinds as packs number them. */
const numbers: Record<Kind, number> = { commit: 1, tree: 2, blob: 3 }
const noCommit = '0'.repeat(40)

function objectOf(kind: Kind, content: Buffer): GitObject {
  const id = createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex')
  return { id, kind, content }
}

/** The tree of files, with all trees and files in it. @param files by paths below the folder */
function treeOf(files: ReadonlyMap<string, string>): GitObject[] {
  const below = Map.groupBy(files, ([path]) => path.split('/', 1)[0] ?? '')
  // A folder is sorted as if its name ended with a slash.
  const parts = [...below].map(([name, held]) => {
    const isFolder = held.some(([path]) => path !== name)
    const inside = new Map(held.map(([path, text]) => [path.slice(name.length + 1), text]))
    const objects = isFolder ? treeOf(inside) : [objectOf('blob', Buffer.from(held[0]?.[1] ?? ''))]
    return { order: isFolder ? `${name}/` : name, mode: isFolder ? '40000' : '100644', name, objects }
  })
  parts.sort((a, b) => Buffer.compare(Buffer.from(a.order), Buffer.from(b.order)))
  const lines = parts.flatMap(({ mode, name, objects }) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(objects[0]?.id ?? '', 'hex'),
  ])
  return [objectOf('tree', Buffer.concat(lines)), ...parts.flatMap(({ objects }) => objects)]
}

/** The object of a commit, and those of its files. @param parent the id of the commit before; undefined for the first one */
function commitOf({ files, author, atMs, message }: PackedCommit, parent: string | undefined): GitObject[] {
  const tree = treeOf(files)
  const who = `${author.name} <${author.email}> ${Math.floor(atMs / 1000)} +0000`
  const head = [`tree ${tree[0]?.id}`, ...(parent ? [`parent ${parent}`] : []), `author ${who}`, `committer ${who}`]
  return [objectOf('commit', Buffer.from(`${head.join('\n')}\n\n${message}\n`)), ...tree]
}

/** An entry of a pack: the kind and the size, seven bits a byte after the first four, and the packed content. */
function entryOf({ kind, content }: GitObject): Buffer {
  const bytes: number[] = []
  let byte = (numbers[kind] << 4) | (content.length & 15)
  for (let rest = content.length >>> 4; rest > 0; rest >>>= 7) {
    bytes.push(byte | 128)
    byte = rest & 127
  }
  return Buffer.concat([Buffer.from([...bytes, byte]), deflateSync(content)])
}

function packOf(objects: readonly GitObject[]): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects.length, 8)
  const pack = Buffer.concat([head, ...objects.map(entryOf)])
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

/**
 * Pushes commits to `main`, one after another.
 * @param path full path of the project
 * @param token of who pushes
 * @param head the id of the commit that `main` has; undefined where there is none
 * @param pushed the ids of the objects that the server has of earlier pushes; those of this one are added
 * @returns the id of the last commit
 * @throws Error with the answer, where the server refuses
 */
export async function push(
  api: Api,
  { path, token, head, pushed }: { path: string; token: string; head: string | undefined; pushed: Set<string> },
  commits: readonly PackedCommit[],
): Promise<string> {
  const objects = new Map<string, GitObject>()
  let last = head
  for (const commit of commits) {
    const made = commitOf(commit, last)
    for (const object of made) if (!pushed.has(object.id)) objects.set(object.id, object)
    last = made[0]?.id
  }
  const command = `${head ?? noCommit} ${last} refs/heads/main\0report-status`
  const line = (command.length + 4).toString(16).padStart(4, '0') + command
  const body = Buffer.concat([Buffer.from(`${line}0000`), packOf([...objects.values()])])
  const headers = {
    Authorization: `Basic ${Buffer.from(`git:${token}`).toString('base64')}`,
    'Content-Type': 'application/x-git-receive-pack-request',
  }
  const { status, text } = await api.open('POST', `/${path}.git/git-receive-pack`, { headers, body })
  if (!text.includes('ok refs/heads/main')) throw new Error(`push to ${path}: ${status} ${text}`)
  for (const id of objects.keys()) pushed.add(id)
  return last ?? noCommit
}
