import type { Child } from '../html/index.ts'

/** A button that asks before it does what cannot be undone. It needs no script: the question is a part of the page. */
export function Confirm({ label, question, children }: { label: string; question: string; children: Child }) {
  return (
    <details class="menu confirm">
      <summary class="quiet">{label}</summary>
      <div class="popup">
        <p>{question}</p>
        {children}
      </div>
    </details>
  )
}
