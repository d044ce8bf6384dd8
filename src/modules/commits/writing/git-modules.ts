import { failure } from '../../../api/index.ts'
import { type FileChange, GitError, type Repository } from '../../../infra/git/index.ts'

/** Names under which any file system finds `.gitmodules`. */
const settingsFile = /(?:^|\/)(?:\.gitmodules|gitmod~\d+)[ .]*$/i

const maximumBytes = 1024 * 1024

type Setting = { section: string; key: string; value: string }

/** Reads a value up to the end of its line; null when git cannot parse it. */
function readValue(text: string, start: number): { value: string; end: number } | null {
  const escapes: Record<string, string> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"', '\n': '' }
  let [value, length, isQuoted, index] = ['', 0, false, start]
  for (; index < text.length && text[index] !== '\n'; index += 1) {
    const character = text[index] as string
    if (!isQuoted && (character === '#' || character === ';')) {
      const line = text.indexOf('\n', index)
      index = line < 0 ? text.length : line
      break
    }
    if (character === '"') isQuoted = !isQuoted
    else if (character === '\\') {
      index += 1
      const meant = escapes[text[index] ?? '']
      if (meant === undefined) return null
      value += meant
    } else if (isQuoted || !/\s/.test(character)) value += character
    else {
      if (value !== '') value += character
      continue
    }
    length = value.length
  }
  return isQuoted ? null : { value: value.slice(0, length), end: index }
}

const heading = /\[([A-Za-z0-9.-]*)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y
const variable = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(=)?/y

/** Settings of a git configuration file, up to the first syntax error. */
function settingsIn(text: string): Setting[] {
  const settings: Setting[] = []
  let section = ''
  for (let index = text.startsWith('\ufeff') ? 1 : 0; index < text.length; ) {
    const character = text[index] as string
    if (/\s/.test(character)) {
      index += 1
      continue
    }
    if (character === '#' || character === ';') {
      const line = text.indexOf('\n', index)
      index = line < 0 ? text.length : line
      continue
    }
    const pattern = character === '[' ? heading : variable
    pattern.lastIndex = index
    const found = pattern.exec(text)
    if (!found) break
    index = pattern.lastIndex
    const [, name = '', detail] = found
    if (pattern === heading) {
      section = name.toLowerCase() + (detail === undefined ? '' : `.${detail.replace(/\\(.)/gs, '$1')}`)
      continue
    }
    const read = detail === undefined ? null : readValue(text, index)
    if (detail !== undefined && !read) break
    settings.push({ section, key: name.toLowerCase(), value: read?.value ?? '' })
    index = read?.end ?? index
  }
  return settings
}

function decoded(url: string): string {
  return url.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

function isSoundUrl(url: string): boolean {
  if (url.startsWith('-') || decoded(url).includes('\n')) return false
  // Relative URLs must not climb into the host or the protocol of the parent's URL.
  if (/^(?:\.\.?\/+)*\.\.\/+:/.test(url)) return false
  const address = /^(?:https?|ftps?):+(.*)$/is.exec(url.replace(/^https?::/i, ''))
  return !address || /^\/\/[^/:?#]/.test(address[1] ?? '')
}

const isSoundName = (name: string) => name !== '' && !name.split(/[/\\]/).includes('..')

/** Whether clones that check objects accept this content of a `.gitmodules`. */
function isSoundGitModules(text: string): boolean {
  return settingsIn(text.replace(/\r\n/g, '\n')).every(({ section, key, value }) => {
    if (!section.startsWith('submodule.')) return true
    if (!isSoundName(section.slice('submodule.'.length))) return false
    if (key === 'url') return isSoundUrl(value)
    return key === 'path' ? !value.startsWith('-') : key !== 'update' || !value.startsWith('!')
  })
}

async function contentOf(repository: Repository, change: FileChange): Promise<Buffer | null> {
  // Streams carry large content; a sound .gitmodules is small.
  if ('content' in change && change.content !== undefined) {
    return change.content === null || Buffer.isBuffer(change.content) ? change.content : Buffer.alloc(maximumBytes + 1)
  }
  if (!('oid' in change) || change.oid === undefined || change.mode === '160000') return null
  const object = await repository.readObject(change.oid, { maxBytes: maximumBytes }).catch((error) => {
    if (error instanceof GitError && error.code === 'too_large') return { content: Buffer.alloc(maximumBytes + 1) }
    throw error
  })
  return object?.content ?? null
}

/** Refuses a dangerous `.gitmodules`, as for pushes. @throws ApiError 400 */
export async function requireSoundGitModules(repository: Repository, changes: readonly FileChange[]): Promise<void> {
  for (const change of changes) {
    if (!settingsFile.test(change.path)) continue
    const content = await contentOf(repository, change)
    if (content === null) continue
    if (content.length > maximumBytes || !isSoundGitModules(content.toString('utf8'))) {
      throw failure(400, `The names, paths and URLs of submodules are not acceptable: ${change.path}`)
    }
  }
}
