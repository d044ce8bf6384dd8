import type { Html } from '../../html/index.ts'
import { codeTable } from '../../parts/code.ts'
import { Avatar, Time } from '../../parts/parts.tsx'

/** What a search has found, as far as pages show it: the members depend on the scope. */
export type Result = {
  id: number | string | null
  iid?: number | null
  project_id?: number | null
  title?: string
  name?: string
  username?: string
  web_url?: string
  description?: string | null
  state?: string
  message?: string
  short_id?: string
  body?: string
  noteable_type?: string
  noteable_iid?: number | null
  author?: { name: string }
  author_name?: string
  created_at?: string
  committed_date?: string
  path?: string
  ref?: string
  data?: string
  startline?: number
}

/** The address of a project by its id, below the server. */
export type Paths = ReadonlyMap<number, string>

/** Texts of results are cut off behind so many characters. */
const longestText = 240

/** A text whose parts that are the phrase are marked, whatever their case. */
export function Marked({ text, phrase }: { text: string; phrase: string }): Html {
  const [lower, wanted] = [text.toLowerCase(), phrase.toLowerCase()]
  // A few letters change their length in lower case: their places are not known then.
  if (wanted === '' || lower.length !== text.length) return <>{text}</>
  const parts = lower.split(wanted)
  let at = 0
  return (
    <>
      {parts.map((part, index) => {
        const plain = text.slice(at, at + part.length)
        const found = text.slice(at + part.length, at + part.length + wanted.length)
        at += part.length + wanted.length
        return (
          <>
            {plain}
            {index < parts.length - 1 && <mark>{found}</mark>}
          </>
        )
      })}
    </>
  )
}

const beginningOf = (text = '') => (text.length > longestText ? `${text.slice(0, longestText)} …` : text)

const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

type Shown = { result: Result; phrase: string; paths: Paths }

/** The lines of a file or of a page of a wiki, with links to them. @param place of the result on the page */
function Lines({ result, phrase, paths, isWiki, place }: Shown & { isWiki: boolean; place: number }): Html {
  const { path = '', ref = '', data = '', startline = 1, project_id: id } = result
  const project = paths.get(id ?? 0) ?? ''
  const file = isWiki
    ? `/${project}/-/wikis/${encodedPath(path.replace(/\.[^./]+$/, ''))}`
    : `/${project}/-/blob/${encodedPath(ref)}/${encodedPath(path)}`
  const lines = data.replace(/\n$/, '').split('\n')
  const hit = Math.max(
    0,
    lines.findIndex((line) => line.toLowerCase().includes(phrase.toLowerCase())),
  )
  const shown = lines.map((line) => <Marked text={line} phrase={phrase} />)
  return (
    <section class="found">
      <h2>
        <a href={isWiki ? file : `${file}#L${startline + hit}`}>
          {project} / <Marked text={path} phrase={phrase} />
        </a>
      </h2>
      <div class="scroll" tabindex={0} role="group" aria-label={path}>
        {codeTable(shown, startline, [], `R${place}L`)}
      </div>
    </section>
  )
}

const sections: Readonly<Record<string, string>> = { Issue: 'issues', MergeRequest: 'merge_requests' }

function addressOf(
  { web_url: url, noteable_type: type = '', noteable_iid: iid, project_id: id, ...one }: Result,
  paths: Paths,
) {
  if (url) return new URL(url).pathname
  return `/${paths.get(id ?? 0) ?? ''}/-/${sections[type]}/${iid}#note_${one.id}`
}

/** A result that is not a file. */
function Row({ result, phrase, paths }: Shown): Html {
  const { title, name, username, body, message, description, author, author_name: by = author?.name } = result
  const heading = title ?? name ?? `Comment of ${by}`
  const text = beginningOf(
    body ?? (message?.includes('\n') ? message.slice(message.indexOf('\n') + 1) : description) ?? '',
  )
  return (
    <li>
      {username !== undefined && <Avatar name={heading} />}
      <div class="grow">
        <a class="strong" href={addressOf(result, paths)}>
          <Marked text={heading} phrase={phrase} />
        </a>
        {username !== undefined && <span class="soft"> @{username}</span>}
        {text.trim() !== '' && (
          <p class="sub">
            <Marked text={text} phrase={phrase} />
          </p>
        )}
      </div>
      {by !== undefined && <span class="meta">{by}</span>}
      <span class="meta when">
        <Time at={result.committed_date ?? result.created_at} />
      </span>
    </li>
  )
}

type ResultsProps = { scope: string; items: readonly Result[]; phrase: string; paths: Paths }

/** What a search has found in a scope. */
export function Results({ scope, items, phrase, paths }: ResultsProps): Html {
  if (scope === 'blobs' || scope === 'wiki_blobs') {
    const isWiki = scope === 'wiki_blobs'
    return (
      <div>
        {items.map((result, place) => (
          <Lines place={place} result={result} phrase={phrase} paths={paths} isWiki={isWiki} />
        ))}
      </div>
    )
  }
  return (
    <ul class="rows">
      {items.map((result) => (
        <Row result={result} phrase={phrase} paths={paths} />
      ))}
    </ul>
  )
}
