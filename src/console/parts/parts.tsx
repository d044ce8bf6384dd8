import type { Child } from '../html/index.ts'

const drawings = {
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.500 10.500 14 14',
  theme: 'M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  folder: 'M1.500 4a1 1 0 0 1 1-1h3.500l1.500 1.500h6a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z',
  file: 'M4 1.500h5l3.500 3.500v9a.500.500 0 0 1-.500.500H4a.500.500 0 0 1-.500-.500V2a.500.500 0 0 1 .500-.500zM9 1.500V5h3.500',
  link: 'M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.300 4.300L11.500 9M9 11.500 7.500 13a3 3 0 0 1-4.300-4.300L4.500 7',
  branch:
    'M4.500 5v6M4.500 2a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3zM4.500 11a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3zM11.500 2.500a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3zM11.500 5.500c0 3-7 2-7 5',
  tag: 'M2 2.500h5.500l6.500 6.500-5 5L2.500 7.500zM5 5.200v.1',
  commit: 'M1 8h4M11 8h4M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  open: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.900v.2',
  done: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.500 8.200 7.300 10l3.400-3.800',
  failed: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6 6l4 4M10 6l-4 4',
  running: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.500V8l2.500 1.500',
  waiting: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.500 6v4M9.500 6v4',
  skipped: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.500 10.500l5-5',
  manual: 'M4.500 3l8 5-8 5z',
  retry: 'M13 8a5 5 0 1 1-1.500-3.500M13.200 2v3h-3',
  star: 'M8 2l1.800 3.900 4.200.5-3.100 2.900.8 4.200L8 11.400l-3.700 2.100.8-4.200L2 6.400l4.200-.5z',
  comment: 'M2.500 3h11v8h-6L4.500 13.500V11h-2z',
  lock: 'M3.500 7h9v6.500h-9zM5.500 7V5a2.500 2.500 0 0 1 5 0v2',
  download: 'M8 2.500v7.500M4.500 7 8 10.500 11.500 7M2.500 13.500h11',
  bell: 'M8 2a4 4 0 0 0-4 4v3l-1.500 2.500h11L12 9V6a4 4 0 0 0-4-4zM6.500 13.500h3',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
} as const

export type IconName = keyof typeof drawings

/** A small drawing; without a label it is decoration. */
export function Icon({ name, label }: { name: IconName; label?: string }) {
  const named = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" width={16} height={16} focusable="false" {...named}>
      <path d={drawings[name]} />
    </svg>
  )
}

const hueOf = (name: string) => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) % 8

/** Initials on a colour that follows the name. */
export function Avatar({ name, square }: { name: string; square?: boolean }) {
  const initials = name
    .split(/[\s._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('')
  return (
    <span class={`avatar hue${hueOf(name)}${square ? ' square' : ''}`} aria-hidden="true">
      {initials || '?'}
    </span>
  )
}

/**
 * A time as people read it. The script makes it relative, and shows it in the zone of the browser.
 * @param isExact whether the script shows it besides the relative one
 */
export function Time({ at, isExact }: { at: string | null | undefined; isExact?: boolean }) {
  if (!at) return <></>
  return (
    <time datetime={at} class={isExact ? 'exact' : undefined}>
      {at.length === 10 ? at : `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`}
    </time>
  )
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return ''
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

/** A colour as a dot: a page has no inline style, and the attribute of a drawing is none. */
export function Dot({ color }: { color: string }) {
  return (
    <svg class="dot" viewBox="0 0 10 10" width={10} height={10} focusable="false" aria-hidden="true">
      <circle cx={5} cy={5} r={4.5} fill={/^#[\da-f]{3,8}$/i.test(color) ? color : '#888'} />
    </svg>
  )
}

export function Label({ name, color, href }: { name: string; color: string; href?: string }) {
  const [scope, value] = name.split('::', 2)
  const shown = [
    <Dot color={color} />,
    value === undefined ? (
      name
    ) : (
      <>
        <span class="scope">{scope}</span> {value}
      </>
    ),
  ]
  return href ? (
    <a class="label" href={href}>
      {shown}
    </a>
  ) : (
    <span class="label">{shown}</span>
  )
}

/** What a list shows when it has nothing. */
export function Empty({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  )
}

const statusIcons: Record<string, IconName> = {
  success: 'done',
  failed: 'failed',
  running: 'running',
  pending: 'waiting',
  created: 'waiting',
  waiting_for_resource: 'waiting',
  preparing: 'waiting',
  canceled: 'skipped',
  canceling: 'skipped',
  skipped: 'skipped',
  manual: 'manual',
  scheduled: 'waiting',
}

/** Whether a value is a state of pipelines and jobs. */
export const isStatus = (value: unknown): value is string => typeof value === 'string' && value in statusIcons
/** The drawing of the state of a pipeline or job. */
export const statusIcon = (status: string): IconName => statusIcons[status] ?? 'open'

/** The state of a pipeline or job. */
export function Status({ status, href }: { status: string; href?: string }) {
  const words = status.replaceAll('_', ' ')
  const shown = [<Icon name={statusIcon(status)} />, words === 'success' ? 'passed' : words]
  return href ? (
    <a class={`status ${status}`} href={href}>
      {shown}
    </a>
  ) : (
    <span class={`status ${status}`}>{shown}</span>
  )
}

type Paged = { total?: number; hasNext?: boolean; next?: Record<string, string>; items: readonly unknown[] }

/** The address of this page with other parameters. */
export function withQuery(path: string, changes: Record<string, string | number | null>): string {
  const [address = '', query = ''] = path.split('?', 2)
  const search = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes))
    value === null ? search.delete(name) : search.set(name, String(value))
  const text = search.toString()
  return text === '' ? address : `${address}?${text}`
}

/** Newer and older. */
export function Pages({ path, page, of }: { path: string; page: number; of: Paged }) {
  const perPage = 20
  const more = of.hasNext ?? (of.total !== undefined && page * perPage < of.total)
  if (page <= 1 && !more) return <></>
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 && (
        <a rel="prev" href={withQuery(path, { page: page === 2 ? null : page - 1 })}>
          Previous
        </a>
      )}
      <span>Page {page}</span>
      {more && (
        <a rel="next" href={withQuery(path, { page: page + 1 })}>
          Next
        </a>
      )}
    </nav>
  )
}

/** Text to copy; the button is the script's. */
export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <span class="copy">
      <input type="text" readonly value={text} aria-label={label} />
      <CopyButton text={text} label={label} />
    </span>
  )
}

/** A button of the script that copies a text which stands elsewhere on the page. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" class="only-script quiet" data-copy={text} title="Copy">
      <Icon name="copy" label={`Copy ${label}`} />
    </button>
  )
}

/** Lines to copy. */
export function CopyBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="copy-block">
      <pre tabindex={0} aria-label={label} role="region">
        {text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

/** A title in which backticks mark code. */
export function Title({ text }: { text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}
