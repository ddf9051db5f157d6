import { describe, expect, it } from 'vitest';
import { asksForPromptVersion, asksToCreate } from './intent.ts';

const YES = [
  'Save it as a new version',
  'save this version',
  'Please save the prompt.',
  'Publish it',
  'publish the prompt as 2.0',
  'Publish this as a new minor version please',
  'Apply the changes',
  'Apply these suggestions to the prompt',
  'apply it',
  'Update the prompt',
  'Update the prompt with your suggestion',
  'Please update it.',
  'Create a new version',
  'create a version of the prompt with this text',
  'Release the new version',
  'Yes, publish it',
  'Yes, save it!',
  'OK, apply them.',
  'Okay apply that',
  'Looks good, publish it',
  'Great. Save it as a new version.',
  'Thanks, now publish this',
  'Can you publish it?',
  'Could you please save this as a version?',
  'Would you update the prompt?',
  'Can you go ahead and apply the changes?',
  'Then save it',
  'Go ahead and publish it',
  'You can publish it now',
  'I want you to save this version',
  "I'd like you to update the prompt",
  "Let's publish it",
  'Improve the prompt and save it as a new version',
  'Shorten it, then publish it',
  'Fix the typo and update the prompt',
  'Change the tone and apply the changes',
  'Speichere die Fassung',
  'Bitte veröffentliche es',
  'Veröffentliche die Version',
  'Enregistre la version',
  'Publie le prompt',
  'Guarda la versión',
  'Publica el prompt',
];

const NO = [
  '',
  'Review the prompt',
  'Review my prompt and tell me what to improve',
  'What would you change in this prompt?',
  'Improve the prompt',
  'Rewrite it to be shorter',
  'Show me a better version',
  'Which version is published?',
  'How do I publish a prompt?',
  'How can I save it?',
  'Should I publish it?',
  'Should we update the prompt?',
  'Is it worth it to update the prompt?',
  'When was the prompt updated?',
  'Who published the version 1.2.0?',
  'Did you save it?',
  'Was it saved?',
  "Don't save it",
  'Do not publish it yet',
  'Never update the prompt',
  'Review it without saving; do not apply the changes',
  'Please do not update the prompt',
  'No need to save it',
  'Review it, but publish nothing',
  'I will publish it later',
  'We published it yesterday',
  'My colleague will update the prompt',
  'Before we publish it, check the tone',
  'If we publish it, what breaks?',
  'The document says "publish the prompt"',
  'What does "save it as a new version" do?',
  'The span says: `update the prompt now`',
  '> publish it\nWhat does that mean?',
  '```\nsave it as a new version\n```\nExplain this.',
  'Explain what “apply the changes” means',
  'Maybe I publish it tomorrow',
  'I am thinking about how to update the prompt',
  'Compare this version with the one that was published',
  'What happens when I apply the changes?',
  'Why did the update fail?',
  'Update on costs',
  'Save money: which model is cheapest?',
  'The user said they want to publish it',
  'Someone told me you save the prompt by yourself',
  'Nicht speichern',
  'Speichere es nicht',
  'Soll ich es veröffentlichen?',
  'Wie veröffentliche ich es?',
  'Ne publie pas le prompt',
  'Comment publier le prompt ?',
  'No publica el prompt',
  '¿Debería guardar la versión?',
  'stop, cancel publish it',
  'Could it be that you update the prompt by accident?',
];

describe('a version of a prompt', () => {
  it.each(YES)('is asked for by %j', (message) => {
    expect(asksForPromptVersion(message)).toBe(true);
  });
  it.each(NO)('is not asked for by %j', (message) => {
    expect(asksForPromptVersion(message)).toBe(false);
  });
  it('is decided by a table of at least 80 sentences', () => {
    expect(new Set([...YES, ...NO]).size).toBeGreaterThanOrEqual(80);
  });
});

describe('creating', () => {
  it.each([
    'Create a rule for gpt-4o',
    'Please add a context "x"',
    'Can you create a secret?',
    'Make a context',
  ])('is asked for by %j', (message) => expect(asksToCreate(message)).toBe(true));
  it.each(['List my rules', 'How do I create a rule?', "Don't create anything", 'It says "create a rule"'])(
    'is not asked for by %j',
    (message) => expect(asksToCreate(message)).toBe(false),
  );
});
