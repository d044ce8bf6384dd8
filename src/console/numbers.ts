import type { Visit } from './page.ts'

/** The number that the address of a page has in this place; 0, which nothing has, for another text. */
export function numberIn({ params }: Visit, name: string): number {
  const text = params[name] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
