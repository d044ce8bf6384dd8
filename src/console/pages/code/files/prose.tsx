import { escapeHtml } from '../../../../infra/markdown/index.ts'
import { type Html, trusted } from '../../../html/index.ts'
import { filesGet, type TreeEntry } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Icon } from '../../../parts/parts.tsx'
import { referring } from '../../../parts/writing/index.ts'
import { atPath, folderOf, linksOf, nameOf, type Place } from '../places.ts'
import { contentsOf } from './contents.ts'

/** Whether a file is shown as prose at first. */
export const isMarkdown = (path: string): boolean => /\.(md|markdown|mdown)$/i.test(path)

/** The Markdown of a file, without its front matter. */
export function proseOf(visit: Visit, { ref, path }: Pick<Place, 'ref' | 'path'>, text: string): Html {
  const body = text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, '')
  return referring(visit, body, { resolve: linksOf(visit, ref, folderOf(path)) })
}

/** The README of a folder. */
export async function readmeOf(visit: Visit, ref: string, items: readonly TreeEntry[]): Promise<Html | null> {
  const names = items.filter(
    ({ name, type }) => type === 'blob' && /^readme(\.(md|markdown|txt|rst|adoc))?$/i.test(name),
  )
  const entry = names.find(({ name }) => isMarkdown(name)) ?? names[0]
  if (!entry) return null
  const { path } = entry
  const { text } = await contentsOf(visit, { ref, path })
  if (!text) return null
  return (
    <section class="readme">
      <h2 class="file-name">
        <Icon name="file" />
        <a href={atPath(visit, 'blob', ref, path)}>{nameOf(path)}</a>
      </h2>
      <div class="prose">
        {isMarkdown(path)
          ? proseOf(visit, { ref, path }, text)
          : trusted(`<pre tabindex="0">${escapeHtml(text)}</pre>`)}
      </div>
    </section>
  )
}

/** The web addresses of the submodules of a tree by their paths, as `.gitmodules` names them. */
export async function modulesOf(visit: Visit, ref: string, items: readonly TreeEntry[]): Promise<Map<string, string>> {
  const modules = new Map<string, string>()
  if (!items.some(({ type }) => type === 'commit')) return modules
  const file = await visit.find(filesGet, { id: visit.project.id, file_path: '.gitmodules', ref })
  const text = file ? Buffer.from(file.content, 'base64').toString('utf8') : ''
  for (const section of text.split(/^\s*\[submodule\b/m)) {
    const [, path] = /^\s*path\s*=\s*(.+?)\s*$/m.exec(section) ?? []
    const [, url = ''] = /^\s*url\s*=\s*(.+?)\s*$/m.exec(section) ?? []
    const address = webAddressOf(url, visit.project.path_with_namespace ?? '')
    if (path && address) modules.set(path, address)
  }
  return modules
}

/** The web address of a repository; null for what is on no web server. */
function webAddressOf(url: string, project: string): string | null {
  const plain = url.replace(/\.git\/?$/, '')
  if (/^https?:\/\/[^\s]+$/i.test(plain)) return plain
  const [, host, path] = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+\/|[:/])(.+)$/.exec(plain) ?? []
  if (host && path) return `https://${host}/${path}`
  return plain.startsWith('../') ? new URL(plain, `http://host/${project}/`).pathname : null
}
