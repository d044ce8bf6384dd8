import { escapeHtml } from '../../../infra/markdown/index.ts'
import type { Mail, Platform } from '../../../platform/index.ts'
import { renderMarkdownOf } from '../../uploads/index.ts'
import { usersByIds } from '../../users/index.ts'
import type { Reason } from '../telling/decide.ts'
import type { Occasion } from '../telling/occasion.ts'
import { longestText, type Subject } from '../telling/recipients.ts'
import { headersOf } from './headers.ts'

/** The longest title in a mail, in characters. */
const longestTitle = 200

const cut = (text: string, most: number) => {
  const characters = text.length > most ? [...text] : []
  return characters.length > most ? `${characters.slice(0, most).join('')} …` : text
}

const nouns = { Issue: 'issue', MergeRequest: 'merge request', Pipeline: 'pipeline', Release: 'release' } as const
const threads = { Issue: 'issue', MergeRequest: 'merge_request', Pipeline: 'pipeline', Release: 'release' } as const
const marks = { Issue: '#', MergeRequest: '!', Pipeline: '#', Release: '' } as const

const because: Record<Reason, string> = {
  mentioned: 'you have been mentioned',
  subscribed: 'you are subscribed to it',
  concerned: 'it is about you',
  author: 'you are its author',
  assigned: 'you are assigned to it',
  review: 'you are asked to review it',
  commented: 'you have commented on it',
  watching: 'you watch the project or group',
  custom: 'you have chosen this event in your notification settings',
}

type Names = { actor: string; added: string; removed: string }

/** What happened, in a sentence. */
function sentenceOf({ happening, type }: Occasion, { actor, added, removed }: Names): string {
  const noun = nouns[type]
  switch (happening) {
    case 'opened':
      return `${actor} created ${type === 'Issue' ? 'an' : 'a'} ${noun}:`
    case 'commented':
      return `${actor} commented:`
    case 'reviewed':
      return `${actor} reviewed the merge request:`
    case 'mentioned':
      return `${actor} mentioned you in the description of the ${noun}.`
    case 'reassigned':
    case 'reviewers changed': {
      const what = happening === 'reassigned' ? 'assignees' : 'reviewers'
      const changes = [added && `added ${added}`, removed && `removed ${removed}`].filter(Boolean).join(' and ')
      return `${actor} changed the ${what}${changes ? `: ${changes}` : ''}.`
    }
    case 'pushed':
      return `${actor} pushed new commits to the ${noun}.`
    case 'due':
      return 'The issue is due tomorrow.'
    case 'failed':
      return 'The pipeline has failed.'
    case 'fixed':
      return 'The pipeline has succeeded; the one before it had failed.'
    case 'succeeded':
      return 'The pipeline has succeeded.'
    case 'released':
      return 'There is a new release:'
    default:
      return `${actor} ${happening === 'unapproved' ? 'took back the approval of' : happening} the ${noun}.`
  }
}

async function namesOf({ database }: Platform, { actorId, added, removed }: Occasion): Promise<Names> {
  const ids = [actorId ?? 0, ...added, ...removed]
  const users = await usersByIds(database.read, ids)
  const nameOf = (id: number) => {
    const user = users.get(id)
    return user ? `${user.name} (@${user.username})` : null
  }
  const list = (of: readonly number[]) => of.flatMap((id) => nameOf(id) ?? []).join(', ')
  return { actor: nameOf(actorId ?? 0) ?? 'Somebody', added: list(added), removed: list(removed) }
}

/** Leads links of a server without a host to this server: a mail is read elsewhere. The renderer has written the attributes. */
const withHost = (html: string, externalUrl: string) =>
  html.replace(/ (href|src)="\/(?!\/)/g, (_all, name: string) => ` ${name}="${escapeHtml(externalUrl)}/`)

type Written = { sentence: string; text: string; url: string; footer: string; unsubscribe: string }

function textOf({ sentence, text, url, footer, unsubscribe }: Written): string {
  const parts = [sentence, text, url, `-- \n${footer}\nUnsubscribe: ${unsubscribe}`]
  return parts.filter((part) => part !== '').join('\n\n')
}

function htmlOf(
  platform: Platform,
  { project }: Subject,
  { sentence, text, url, footer, unsubscribe }: Written,
): string {
  const rendered = text === '' ? '' : renderMarkdownOf({ kind: 'project', id: project.id }, text)
  const link = (to: string, words: string) => `<a href="${escapeHtml(to)}">${words}</a>`
  return [
    '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>',
    `<p>${escapeHtml(sentence)}</p>`,
    `<div>${withHost(rendered, platform.externalUrl)}</div>`,
    `<p>${link(url, 'View it')}</p>`,
    `<p><small>${escapeHtml(footer)} ${link(unsubscribe, 'Unsubscribe')}</small></p>`,
    '</body></html>',
  ].join('\n')
}

/** Writes the mail of an occasion. It names no address of any user. */
export async function mailOf(
  platform: Platform,
  occasion: Occasion,
  subject: Subject,
  { reason, runId, unsubscribe }: { reason: Reason; runId: number; unsubscribe: string },
): Promise<Omit<Mail, 'to'>> {
  const { type, happening, actorId, noteId } = occasion
  const { project, shown, comments } = subject
  const place = `${platform.externalUrl}/${project.full_path}/-/${shown.path}`
  const [names, actors] = [await namesOf(platform, occasion), await usersByIds(platform.database.read, [actorId ?? 0])]
  const isFirst = happening === 'opened' || happening === 'released'
  const written = {
    sentence: sentenceOf(occasion, names),
    text: cut(isFirst ? shown.text : comments.map(({ body }) => body).join('\n\n---\n\n'), longestText),
    url: noteId === undefined ? place : `${place}#note_${noteId}`,
    footer: `You receive this mail because ${because[reason]}.`,
    unsubscribe,
  }
  const number = shown.iid === null ? '' : ` (${marks[type]}${shown.iid})`
  const title = `${project.name} | ${cut(shown.title, longestTitle)}${number}`
  const thread = `${threads[type]}_${shown.id}`
  return {
    subject: isFirst || type === 'Pipeline' ? title : `Re: ${title}`,
    text: textOf(written),
    html: htmlOf(platform, subject, written),
    fromName: actors.get(actorId ?? 0)?.name ?? 'Fennec',
    headers: headersOf(platform, occasion, subject, { reason, unsubscribe }),
    thread: isFirst ? { id: thread } : { id: `${thread}.${runId}`, answers: thread },
  }
}
