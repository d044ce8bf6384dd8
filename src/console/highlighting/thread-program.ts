/** Highlights texts in a thread. */
import { serveTasks } from '../../infra/threads/index.ts'
import { type Code, highlightedHtml } from './highlighter.ts'

serveTasks<null, readonly Code[], string[]>(() => (texts) => texts.map(highlightedHtml))
