/** What k6 has and `@types/k6` leaves to the DOM types, which are otherwise wrong here. */
declare const console: { log(text: string): void; error(text: string): void };
