import type { Part } from './message.ts'

/** How a chat service writes text and links. */
export type Markup = { text(text: string): string; link(text: string, url: string): string }

const escapedHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An address that cannot end a link early. */
const plainUrl = (url: string) => url.replace(/[()<>|\s"]/g, (character) => encodeURIComponent(character))

const slackText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const markdownText = (text: string) => text.replace(/[\\`*_[\]<>~#|]/g, '\\$&')
// The older Markdown of Telegram knows no escape of other characters.
const telegramText = (text: string) => text.replace(/[_*`[]/g, '\\$&')

export const plain: Markup = { text: (text) => text, link: (text) => text }

/** `<address|text>`: Slack, Mattermost and Google Chat. */
export const slackMarkup: Markup = {
  text: slackText,
  link: (text, url) => `<${plainUrl(url)}|${slackText(text).replaceAll('|', '¦')}>`,
}

export const markdown: Markup = { text: markdownText, link: (text, url) => `[${markdownText(text)}](${plainUrl(url)})` }

export const telegramMarkdown: Markup = {
  text: telegramText,
  link: (text, url) => `[${text.replace(/[[\]]/g, ' ')}](${plainUrl(url)})`,
}

export const html: Markup = {
  text: escapedHtml,
  link: (text, url) => `<a href="${escapedHtml(url)}">${escapedHtml(text)}</a>`,
}

/** Writes a sentence. */
export function written(parts: readonly Part[], { text, link }: Markup): string {
  return parts.map((part) => (typeof part === 'string' ? text(part) : link(part.text, part.url))).join('')
}
