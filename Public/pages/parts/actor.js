/** Returns a person or a program as a sentence names it, without its number. */
export function actorName(actor) {
  return actor === 'server' ? 'Larder' : actor.replace(/ \((user )?#\d+\)$/, '');
}
