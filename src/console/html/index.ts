/** HTML that is written as it is. It comes from elements, whose text is escaped, or from `trusted`. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What may stand between tags. Text is escaped. What is false or missing is not written. */
export type Child = Html | string | number | boolean | null | undefined | readonly Child[]

/** HTML that another part of the server has made safe: rendered Markdown, highlighted code. */
export function trusted(html: string): Html {
  return new Html(html)
}
